/** How often a read is asked again that does not show yet what the page has written, and after how long, ms. */
const TIMES_AGAIN = 40;
const AGAIN_MS = 250;

/** Asks until the answer is not behind. After ten seconds the last one has to do: a page that shows nothing is of less use. */
export async function onceNotBehind<Answer>(
  ask: () => Promise<Answer>,
  isBehind: (answer: Answer) => boolean,
  pause: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<Answer> {
  let answer = await ask();
  for (let times = 0; isBehind(answer) && times < TIMES_AGAIN; times += 1) {
    await pause(AGAIN_MS);
    answer = await ask();
  }
  return answer;
}
