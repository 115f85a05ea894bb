import type { ScriptedCall } from '../simulator/model/script.ts';
import type { Finding } from './find-changes.ts';
import { findChanges, noteIn } from './find-changes.ts';
import { newFile, styleGuide } from './new-file.ts';
import type { ShownFile } from './read-answer.ts';

/** A hunk of a pull request's diff: the lines of the head that it shows, and the first of them that it changes; 1-based. */
export type ShownLines = { readonly first: number; readonly last: number; readonly changed: number };

/** What a pull request's diff shows, by path. */
export type DiffLines = ReadonlyMap<string, readonly ShownLines[]>;

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

/** What the author has seen. */
export type Seen = {
  readonly files: readonly ShownFile[];
  readonly diff: DiffLines;
  /** Names at the root. */
  readonly taken: ReadonlySet<string>;
  /** Of the pull request. */
  readonly title: string;
};

/** The changes to propose for what was read: one for each thing that people can do. */
export function planChanges({ files, diff, taken, title }: Seen): readonly PlannedChange[] {
  const choose = chooser(files.flatMap(findChanges));
  const inDiff = (finding: Finding): boolean => covers(diff, finding);
  const notes = chooser(
    files.flatMap((file) => (diff.get(file.path) ?? []).flatMap((hunk) => noteIn(file, hunk, title) ?? [])),
  );
  const withReturns = new Set(files.filter(({ hasReturns }) => hasReturns).map(({ path }) => path));
  const asSuggestion = (finding: Finding): boolean => inDiff(finding) && !withReturns.has(finding.path);
  const byButton = choose(asSuggestion, []) ?? notes(asSuggestion, []);
  const outside = choose((finding) => !inDiff(finding), [byButton]);
  const next = choose(inDiff, [byButton, outside]) ?? choose(() => true, [byButton, outside]);
  const chosen = [byButton, outside, next];
  const denied = choose(inDiff, chosen) ?? notes(inDiff, chosen) ?? choose(() => true, chosen);
  const fresh = newFile(files, taken);
  return [
    ...planned(files, byButton, { part: 'button' }),
    ...planned(files, next, { part: 'approve' }),
    ...planned(files, outside, { part: 'approve' }),
    ...(denied === null
      ? [unwantedFile(new Set([...taken, fresh.path]))]
      : planned(files, denied, { part: 'deny', words: denied.objection })),
    {
      path: fresh.path,
      line: 0,
      call: write(fresh.path, fresh.content, fresh.reason),
      role: { part: 'instruct', words: fresh.wish },
      reworked: write(fresh.path, fresh.explained, `${fresh.reason} Its first line now says what it is for.`),
    },
  ];
}

type Choose = (fits: (finding: Finding) => boolean, chosen: readonly (Finding | null)[]) => Finding | null;

/** Picks the best finding that fits and stands clear of what is chosen; files that have none yet come first. */
function chooser(findings: readonly Finding[]): Choose {
  return (fits, chosen) => {
    const others = chosen.filter((one) => one !== null);
    const score = ({ worth, path }: Finding): number => worth - 3 * others.filter((one) => one.path === path).length;
    const clear = findings.filter((one) => fits(one) && others.every((other) => !isNear(one, other)));
    return clear.toSorted((left, right) => score(right) - score(left))[0] ?? null;
  };
}

function covers(diff: DiffLines, { path, line, removes, at }: Finding): boolean {
  // An insertion stands on the line above it, or below it at the top of a file.
  const touched = removes === 0 && at > 0 ? line - 1 : line;
  return (diff.get(path) ?? []).some(({ first, last }) => touched >= first && line <= last);
}

function isNear(left: Finding, right: Finding): boolean {
  return left.path === right.path && Math.abs(left.line - right.line) < APART;
}

function write(path: string, content: string, reason: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content, reason } };
}

function unwantedFile(taken: ReadonlySet<string>): PlannedChange {
  const { path, content, reason } = styleGuide(taken);
  const role = { part: 'deny', words: 'what is done anyway needs no page' } as const;
  return { path, line: 0, call: write(path, content, reason), role, reworked: null };
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
