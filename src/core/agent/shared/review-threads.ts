import { escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { decideReading } from '../../policy/path-policy.ts';
import type { PathRules } from '../../state/settings.ts';
import type { Discussion, ReviewThread, Statement } from '../../step/ports.ts';
import { formatPath } from './tool-results.ts';

/** The review threads of a pull request, the App's own login, and the rules about its files. */
type ThreadsInput = { readonly discussion: Discussion; readonly ownLogin: string; readonly rules: PathRules };

/** A thread that a change can answer with its id, or the output for the model. */
type ThreadLookup =
  | { readonly kind: 'thread'; readonly rootId: number; readonly thread: ReviewThread }
  | { readonly kind: 'refused'; readonly output: string };

/** The open thread of a person whose first comment has this id. Any other id is the model's slip. */
export function findAnswerable({ discussion, ownLogin, rules }: ThreadsInput, rootId: number): ThreadLookup {
  const threads = discussion.threads.filter(({ path }) => isReadableThread(rules, path));
  const thread = threads.find(({ root }) => root.id === rootId);
  if (thread !== undefined && answerableId(thread) !== null) return { kind: 'thread', rootId, thread };
  const rows = threads.flatMap((one) => {
    const id = answerableId(one);
    return id === null ? [] : [`${id} on ${placeOfThread(one)}`];
  });
  const others =
    rows.length === 0
      ? 'No thread can be answered here: leave answers out.'
      : `These can be: ${rows.slice(0, MAX_THREADS_NAMED).join(', ')}. Leave answers out for a change that answers none.`;
  const why = thread === undefined ? 'is no review thread of this pull request' : whyNotAnswerable(thread, ownLogin);
  return { kind: 'refused', output: `Not proposed: answers ${rootId} ${why}. ${others}` };
}

const MAX_THREADS_NAMED = 20;

function whyNotAnswerable({ isResolved, root }: ReviewThread, ownLogin: string): string {
  if (!isOthers(root, { ownLogin })) return 'is a thread of your own change';
  return isResolved ? 'is a thread that is resolved' : 'is a thread that no person began';
}

/** The id by which a change can answer a thread: an open one that a person began. Null for any other. */
export function answerableId({ isResolved, root: { id, author } }: ReviewThread): number | null {
  return !isResolved && (author === null || author.kind === 'person') ? id : null;
}

/** The file and lines of a thread, as text for the model. */
export function placeOfThread({ path, line, startLine, side }: ReviewThread): string {
  const file = formatPath(escapeHiddenCharacters(path));
  if (line === null) return file;
  const lines = startLine === null || startLine === line ? `line ${line}` : `lines ${startLine} to ${line}`;
  return `${file} ${lines}${side === 'LEFT' ? ' of the base' : ''}`;
}

/** Its words are about a file, and hold none of it: only denied files have no threads. */
export function isReadableThread(rules: PathRules, path: string): boolean {
  return decideReading(rules, 'read_discussion', path).kind !== 'deny';
}

/** Whether the App itself did not write it. */
export function isOthers({ author }: Pick<Statement, 'author'>, { ownLogin }: Pick<ThreadsInput, 'ownLogin'>): boolean {
  return !(author?.kind === 'bot' && author.login === ownLogin);
}
