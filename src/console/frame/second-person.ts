import { useQuery } from '@tanstack/react-query';
import { approvalsQuery } from '../api/approvals.ts';
import { STAGED, useMay, useView } from './view.ts';

/** Whether nothing goes live in this project that another person has not agreed to, and how much waits for one, or for who promotes it. */
export function useSecondPersonRule(): { readonly isRequired: boolean; readonly waiting: number } {
  const mayDo = useMay();
  const mayRead = STAGED.every((scope) => mayDo(scope, 'r'));
  const { data } = useQuery({ ...approvalsQuery(useView()), enabled: mayRead });
  return { isRequired: data?.required ?? false, waiting: data?.open.length ?? 0 };
}
