import { type InputField, type InputKind, type Typed, WHOLE } from '../words/input.ts';
import styles from './field.module.css';
import { Field, Labelled, Select } from './field.tsx';

interface SchemaFormProps {
  /** `null`: the input declares no fields, and is typed as a whole. */
  readonly fields: readonly InputField[] | null;
  readonly typed: Typed;
  readonly change: (typed: Typed) => void;
  /** What is wrong with a field, by its name. */
  readonly problems: Readonly<Record<string, string>>;
}

/** The fields of an input as a form. What is typed is kept as text; `inputOf` makes the input of it. */
export function SchemaForm({ fields, typed, change, problems }: SchemaFormProps) {
  const put = (name: string) => (text: string) => change({ ...typed, [name]: text });
  if (fields === null) return <Json label="Input" hint="JSON" value={typed[WHOLE] ?? ''} problem={problems[WHOLE]} change={put(WHOLE)} />;
  return (
    <>
      {fields.map((field) => (
        <One key={field.name} field={field} value={typed[field.name] ?? ''} problem={problems[field.name]} change={put(field.name)} />
      ))}
    </>
  );
}

interface OneProps {
  readonly field: InputField;
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (text: string) => void;
}

const FLAGS = ['true', 'false'];

function One({ field, value, problem, change }: OneProps) {
  const { label, kind, isRequired, options, says } = field;
  if (kind === 'json') return <Json label={label} hint={says} value={value} problem={problem} change={change} />;
  if (kind === 'flag' || kind === 'choice')
    return (
      <Select
        label={label}
        value={value}
        hint={problem ?? says}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => change(target.value)}
      >
        <option value="">{isRequired ? 'Choose' : 'Left out'}</option>
        {(kind === 'flag' ? FLAGS : options.map((_, place) => String(place))).map((each) => (
          <option key={each} value={each}>
            {kind === 'flag' ? each : String(options[Number(each)])}
          </option>
        ))}
      </Select>
    );
  return (
    <Field
      label={label}
      hint={problem ?? says}
      value={value}
      aria-invalid={problem !== undefined}
      inputMode={MODES[kind]}
      required={isRequired}
      onChange={({ target }) => change(target.value)}
    />
  );
}

const MODES: Readonly<Partial<Record<InputKind, 'decimal'>>> = { number: 'decimal' };

interface JsonProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (text: string) => void;
}

function Json({ label, hint, value, problem, change }: JsonProps) {
  return (
    <Labelled label={label} hint={problem ?? hint}>
      {(id, hintId) => (
        <textarea
          id={id}
          className={styles.input}
          rows={4}
          spellCheck={false}
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={hintId}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Labelled>
  );
}
