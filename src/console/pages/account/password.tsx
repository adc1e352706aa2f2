import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ownSessionsQuery, sessionQuery, setPassword } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import styles from './account.module.css';

const MIN_LENGTH = 12;
const NOTHING = { current: '', password: '', again: '' };

interface PasswordFormProps {
  readonly name: string;
  readonly hasPassword: boolean;
}

export function PasswordForm({ name, hasPassword }: PasswordFormProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState(NOTHING);
  const setting = useMutation({
    mutationFn: () => setPassword({ password: typed.password, current: hasPassword ? typed.current : null }),
    onSuccess: async () => {
      setTyped(NOTHING);
      await Promise.all([sessionQuery, ownSessionsQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setting.mutate();
  };
  const isSame = typed.again === typed.password;
  const isWhole = typed.password.length >= MIN_LENGTH && isSame && (!hasPassword || typed.current !== '');
  const change = (member: keyof typeof NOTHING) => (event: { readonly target: { readonly value: string } }) =>
    setTyped({ ...typed, [member]: event.target.value });
  const shared = { type: 'password', maxLength: 200, required: true };
  return (
    <form className={styles.form} onSubmit={submit}>
      {!hasPassword && (
        <p className={styles.soft}>You came in by a link. With a password you sign in by your name ({name}), without anybody’s help.</p>
      )}
      {/* Tells a password manager whose password it is. */}
      <input type="text" autoComplete="username" value={name} readOnly hidden />
      {hasPassword && (
        <Field
          {...shared}
          label="Current password"
          autoComplete="current-password"
          value={typed.current}
          onChange={change('current')}
          hint="Forgotten? Whoever has the server lets you in anew: savepoint user reset"
        />
      )}
      <Field
        {...shared}
        label="New password"
        autoComplete="new-password"
        value={typed.password}
        onChange={change('password')}
        hint={`${MIN_LENGTH} characters or more; several words are good`}
      />
      <Field
        {...shared}
        label="Repeat the password"
        autoComplete="new-password"
        value={typed.again}
        onChange={change('again')}
        hint={typed.again !== '' && !isSame ? 'This is not the same' : undefined}
      />
      <Button type="submit" look="main" disabled={!isWhole || setting.isPending}>
        {setting.isPending ? 'Setting it…' : hasPassword ? 'Change it' : 'Set it'}
      </Button>
      {setting.isError && <Failed error={setting.error} />}
      {setting.isSuccess && typed === NOTHING && (
        <Done>
          <p>Your password is set. Your other sessions are over: sign in there again.</p>
        </Done>
      )}
    </form>
  );
}
