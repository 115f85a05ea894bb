import { computeHunks } from '../../fakes/github/git/diff.ts';
import { regionBetween } from '../../src/core/edits/region.ts';
import { decodeText } from '../../src/core/edits/text/characters.ts';
import { splitLines } from '../../src/core/edits/text/lines.ts';
import type { ToolCall } from '../../src/core/state/conversation.ts';
import type { CommitFileChange, VersionedFile } from './samples.ts';

/** What a model would have to call for a change; the last call is the one that becomes the proposal. */
export type DerivedCalls =
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly callId: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Text that a person leaves out again, so that own lines differ from what is proposed. */
const EXTRA_LINE = 'a line too many';

/** The calls that ask for exactly this change. `id` begins their ids. */
export function deriveCalls(change: CommitFileChange, id: string): DerivedCalls {
  const { path, from, before, after } = change;
  if (from !== null) return singleCall(id, 'move_file', { from, to: path });
  if (after === null) return singleCall(id, 'delete_file', { path });
  const newText = versionText(after);
  if (newText === null) return { kind: 'none', reason: 'a file that is no text' };
  return deriveWriteCalls(id, path, before, newText);
}

/** The same with one line too many, where people can put own lines in place of the proposed ones; null elsewhere. */
export function deriveVariant({ path, from, before, after }: CommitFileChange, id: string): DerivedCalls | null {
  const newText = versionText(after);
  if (from !== null || newText === null) return null;
  if (before === null) return newText === '' ? null : deriveWriteCalls(id, path, null, withExtraLine(newText));
  const old = versionText(before);
  const region = old === null ? null : regionBetween(old, newText);
  if (old === null || region === null || !isSingleHunk(old, newText)) return null;
  const start = region.newStart - (region.new.length === 0 ? 0 : 1);
  const lines = splitLines(newText);
  const added = withExtraLine(region.new.join(''));
  const rest = lines.slice(start + region.new.length).join('');
  if (rest !== '' && !added.endsWith('\n')) return null;
  return deriveWriteCalls(id, path, before, lines.slice(0, start).join('') + added + rest);
}

/** The extra line stands first, so that the text ends as it did. */
function withExtraLine(text: string): string {
  return `${EXTRA_LINE}\n${text}`;
}

function deriveWriteCalls(id: string, path: string, before: VersionedFile, newText: string): DerivedCalls {
  if (before === null) return singleCall(id, 'write_file', { path, content: newText });
  const old = versionText(before);
  if (old === null) return { kind: 'none', reason: 'a file that is no text' };
  if (isSingleHunk(old, newText)) return singleCall(id, 'edit_file', { path, ...deriveEdit(old, newText) });
  const read = createToolCall(`${id}-read`, 'read_file', { path });
  return { kind: 'calls', calls: [read, createToolCall(id, 'write_file', { path, content: newText })], callId: id };
}

function singleCall(id: string, name: string, given: Readonly<Record<string, unknown>>): DerivedCalls {
  return { kind: 'calls', calls: [createToolCall(id, name, given)], callId: id };
}

/** One call of the model. */
function createToolCall(id: string, name: string, given: Readonly<Record<string, unknown>>): ToolCall {
  return { id, name, arguments: JSON.stringify(given) };
}

/** Null for a file that is not there or is no text. */
function versionText(version: VersionedFile): string | null {
  const decoded = version === null ? null : decodeText(version.bytes);
  return decoded?.kind === 'text' ? decoded.text : null;
}

function isSingleHunk(old: string, newText: string): boolean {
  return old !== '' && computeHunks(old, newText, 0).length === 1;
}

function deriveEdit(old: string, newText: string): EditArguments {
  const region = regionBetween(old, newText);
  const first = region === null ? 0 : region.oldStart - (region.old.length === 0 ? 0 : 1);
  return quoteEdit(old, { first, count: region?.old.length ?? 0, lines: region?.new ?? [] });
}

/** An `edit_file` call's two texts. */
type EditArguments = { readonly old_string: string; readonly new_string: string };

/** Lines of a text, counted from 0, and those that are to stand in their place. */
type LineReplacement = { readonly first: number; readonly count: number; readonly lines: readonly string[] };

/** Quotes as many lines around the replaced ones as make them stand once. */
function quoteEdit(old: string, { first, count, lines: newText }: LineReplacement): EditArguments {
  const lines = splitLines(old);
  for (let around = 0; ; around += 1) {
    const start = Math.max(0, first - around);
    const end = Math.min(lines.length, first + count + around);
    const old_string = lines.slice(start, end).join('');
    const parts = [lines.slice(start, first), newText, lines.slice(first + count, end)];
    const isWhole = start === 0 && end === lines.length;
    if (isWhole || occursOnce(old, old_string)) return { old_string, new_string: parts.flat().join('') };
  }
}

function occursOnce(text: string, sought: string): boolean {
  const [folded, wanted] = [text.replaceAll('\r\n', '\n'), sought.replaceAll('\r\n', '\n')];
  const first = wanted === '' ? -1 : folded.indexOf(wanted);
  return first !== -1 && folded.indexOf(wanted, first + 1) === -1;
}

/** More than this and one change would take all that a response may propose. */
const MAX_HUNKS = 5;

/** Each hunk is sought in the whole text. */
const MAX_CHARACTERS = 200_000;

/** An edit for each hunk of a change that has several; none for every other change. `id` begins the calls' ids. */
export function deriveHunkCalls({ path, from, before, after }: CommitFileChange, id: string): readonly ToolCall[] {
  const [old, newText] = [versionText(before), versionText(after)];
  if (from !== null || old === null || newText === null || old.length > MAX_CHARACTERS) return [];
  const hunks = splitHunks(old, newText);
  if (hunks.length < 2 || hunks.length > MAX_HUNKS) return [];
  return hunks.map((hunk, at) => createToolCall(`${id}-${at}`, 'edit_file', { path, ...quoteEdit(old, hunk) }));
}

function splitHunks(old: string, newText: string): readonly LineReplacement[] {
  const lines = splitLines(newText);
  const hunks = computeHunks(old, newText, 0).map(({ oldStart, oldLines, newStart, newLines }) => ({
    first: oldStart - 1,
    count: oldLines,
    lines: lines.slice(newStart - 1, newStart - 1 + newLines),
  }));
  return applyHunks(old, hunks) === newText ? hunks : [];
}

function applyHunks(old: string, hunks: readonly LineReplacement[]): string {
  const lines = splitLines(old).slice();
  for (const { first, count, lines: newText } of hunks.toReversed()) lines.splice(first, count, ...newText);
  return lines.join('');
}
