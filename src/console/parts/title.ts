/** The title of the browser's tab: the page, and before it how much waits for who looks at it. */

let page: string | null = null;
let waiting = 0;

function tell(): void {
  if (page !== null) document.title = `${waiting === 0 ? '' : `(${waiting}) `}${page} · Savepoint`;
}

export function tellPage(name: string): void {
  page = name;
  tell();
}

export function tellWaiting(count: number): void {
  waiting = count;
  tell();
}
