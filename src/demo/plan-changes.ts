import type { ScriptedCall } from '../simulator/model/script.ts';
import type { Finding } from './find-changes.ts';
import { findChanges } from './find-changes.ts';
import { newFile } from './new-file.ts';
import type { ShownFile } from './read-answer.ts';

/** Lines of the head that a pull request's diff shows, by path: first and last, 1-based. */
export type DiffLines = ReadonlyMap<string, readonly (readonly [first: number, last: number])[]>;

/** What people will do about a change. */
export type Part =
  | { readonly part: 'button' | 'approve' }
  | { readonly part: 'deny'; readonly words: string }
  | { readonly part: 'instruct'; readonly words: string };

/** A call of the model, with the part that people play on it; `line` as the title of its proposal says, 0 for a new file. */
export type PlannedChange = {
  readonly path: string;
  readonly line: number;
  readonly call: ScriptedCall;
  readonly role: Part;
  /** The same after the instruction. */
  readonly reworked: ScriptedCall | null;
};

/** Lines between two changes of one file, so that none stands in what another shows around itself. */
const APART = 8;

/** The changes to propose for what was read: one for each thing that people can do. */
export function planChanges(
  files: readonly ShownFile[],
  diff: DiffLines,
  taken: ReadonlySet<string>,
): readonly PlannedChange[] {
  const findings = files.flatMap(findChanges).toSorted((left, right) => right.worth - left.worth);
  const inDiff = (finding: Finding): boolean => covers(diff, finding);
  const chosen: Finding[] = [];
  const take = (fits: (finding: Finding) => boolean): Finding | null => {
    const found = findings.find((one) => fits(one) && chosen.every((other) => !isNear(one, other))) ?? null;
    if (found !== null) chosen.push(found);
    return found;
  };
  const byButton = take(inDiff);
  const outside = take((finding) => !inDiff(finding));
  const next = take(inDiff) ?? take(() => true);
  const denied = take(inDiff) ?? take(() => true);
  const fresh = newFile(files, taken);
  return [
    ...planned(files, byButton, { part: 'button' }),
    ...planned(files, next, { part: 'approve' }),
    ...planned(files, outside, { part: 'approve' }),
    ...planned(files, denied, { part: 'deny', words: denied?.objection ?? '' }),
    {
      path: fresh.path,
      line: 0,
      call: write(fresh.path, fresh.content, fresh.reason),
      role: { part: 'instruct', words: fresh.wish },
      reworked: write(fresh.path, fresh.explained, `${fresh.reason} Its first line now says what it is for.`),
    },
  ];
}

function covers(diff: DiffLines, { path, line, removes, at }: Finding): boolean {
  // An insertion stands on the line above it, or below it at the top of a file.
  const touched = removes === 0 && at > 0 ? line - 1 : line;
  return (diff.get(path) ?? []).some(([first, last]) => touched >= first && line <= last);
}

function isNear(left: Finding, right: Finding): boolean {
  return left.path === right.path && Math.abs(left.line - right.line) < APART;
}

function write(path: string, content: string, reason: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content, reason } };
}

function planned(files: readonly ShownFile[], finding: Finding | null, role: Part): readonly PlannedChange[] {
  const file = files.find(({ path }) => path === finding?.path);
  if (finding === null || file === undefined) return [];
  const call = { name: 'edit_file', arguments: editOf(file, finding) };
  return [{ path: finding.path, line: finding.line, call, role, reworked: null }];
}

/** Quotes as many lines around the change as make the place unique in what was read. */
function editOf(file: ShownFile, { path, at, removes, adds, reason }: Finding): Readonly<Record<string, unknown>> {
  const { lines } = file;
  for (let around = removes === 0 ? 1 : 0; ; around += 1) {
    const from = Math.max(0, at - around);
    const to = Math.min(lines.length, at + removes + around);
    const old = lines.slice(from, to);
    const fresh = [...lines.slice(from, at), ...adds, ...lines.slice(at + removes, to)];
    // A newline belongs to the last line only where one stands there, or where the change brings it.
    const bringsEnd = removes === 1 && adds[0] === lines[at];
    const ends = to < lines.length;
    const oldText = old.join('\n') + (ends ? '\n' : '');
    const newText = fresh.join('\n') + (ends || bringsEnd ? '\n' : '');
    const whole = from === 0 && to === lines.length;
    if (whole || isUnique(lines.join('\n'), oldText)) return { path, old_string: oldText, new_string: newText, reason };
  }
}

function isUnique(text: string, sought: string): boolean {
  const first = text.indexOf(sought);
  return first !== -1 && text.indexOf(sought, first + 1) === -1;
}
