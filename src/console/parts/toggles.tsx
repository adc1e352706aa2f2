import { Button } from './button.tsx';

interface TogglesProps<Name> {
  readonly choices: readonly (readonly [name: Name, said: string])[];
  /** `undefined`: none of them. */
  readonly chosen: Name | undefined;
  readonly choose: (name: Name) => void;
}

/** Buttons of which one is pressed. */
export function Toggles<Name extends string | number>({ choices, chosen, choose }: TogglesProps<Name>) {
  return choices.map(([name, said]) => (
    <Button key={name} isSmall look={name === chosen ? 'main' : 'plain'} aria-pressed={name === chosen} onClick={() => choose(name)}>
      {said}
    </Button>
  ));
}
