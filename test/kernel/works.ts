/** Until the event loop's next turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work that runs until it is told to end. */
export function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, work, end };
}
