import type { CommitOutcome } from '../worker/ports.ts';
import { quotableWords, type RequestFault } from './faults.ts';

type Refused = Extract<CommitOutcome, { kind: 'refused' }>;
type Rule = { readonly means: RegExp; readonly sentence: string; readonly byRule?: true };

/** What GitHub's words mean, and how we say it; the first that fits counts. */
const RULES: readonly Rule[] = [
  {
    means: /workflow/i,
    sentence: 'GitHub lets no App without the `workflows` permission change workflow files',
  },
  {
    means: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i,
    sentence: 'The rules of this branch refuse the commit',
    byRule: true,
  },
  {
    means: /not accessible by integration|permission|forbidden|denied/i,
    sentence: 'GitHub refuses because the App lacks the permission to commit here',
  },
  {
    means: /archived|read-only|locked/i,
    sentence: 'GitHub refuses because the repository takes no changes',
  },
  {
    means: /does not exist|could not resolve|not found|no such/i,
    sentence: 'GitHub does not find the branch, or does not let the App write there',
  },
];

/** Statuses that say by themselves that nothing was and will be applied. */
const FINAL_STATUSES: ReadonlySet<number | null> = new Set([403, 404, 410, 451]);
const FINAL_CODES: ReadonlySet<string> = new Set(['FORBIDDEN', 'NOT_FOUND', 'UNPROCESSABLE']);

/** A refusal for good, in words fit for strangers, or null where it is unknown what happened. */
export function readRefusal(fault: RequestFault): Refused | null {
  if (fault.retryAt !== null || fault.status === null || fault.status >= 500) return null;
  const rule = RULES.find(({ means }) => means.test(fault.words));
  const isFinal = FINAL_STATUSES.has(fault.status) || fault.codes.some((code) => FINAL_CODES.has(code));
  if (rule === undefined && !isFinal) return null;
  const sentence = rule?.sentence ?? 'GitHub refuses the commit';
  const words = quotableWords(fault.words);
  const message = words === '' ? `${sentence}.` : `${sentence}: \`${words}\``;
  return { kind: 'refused', message, byRule: rule?.byRule === true };
}

/** Whether the answer says that the branch has another head than expected: nothing was written. */
export function saysHeadMoved(fault: RequestFault): boolean {
  if (fault.codes.includes('STALE_DATA')) return true;
  if (fault.status === 409) return true;
  return fault.status === 422 && /not a fast.?forward/i.test(fault.words);
}
