import { computeHunks } from '../../fakes/github/git/diff.ts';
import { regionBetween } from '../../src/core/edits/region.ts';
import { decodeText } from '../../src/core/edits/text/characters.ts';
import { splitLines } from '../../src/core/edits/text/lines.ts';
import type { ToolCall } from '../../src/core/state/conversation.ts';
import type { CommitFileChange, VersionedFile } from './changes.ts';

/** The tool calls that request a change. The last one, `callId`, becomes the proposal. */
export type DerivedCalls =
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly callId: string }
  | { readonly kind: 'none'; readonly reason: string };

const NOT_TEXT = 'a file that is not text';

/** A line of a proposal that the person's own suggestion leaves out, so that the two differ. */
const EXTRA_LINE = 'a line too many';

/** The calls that request exactly this change. Their ids begin with `id`. */
export function deriveCalls(change: CommitFileChange, id: string): DerivedCalls {
  const { path, from, before, after } = change;
  if (from !== null) return singleCall(id, 'move_file', { from, to: path });
  if (after === null) return singleCall(id, 'delete_file', { path });
  const newText = versionText(after);
  if (newText === null) return { kind: 'none', reason: NOT_TEXT };
  return deriveWriteCalls(id, path, before, newText);
}

/** The calls for this change with an extra line; null if a person could not replace the proposed lines. */
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

/** The extra line comes first, so that the end of the text stays the same. */
function withExtraLine(text: string): string {
  return `${EXTRA_LINE}\n${text}`;
}

function deriveWriteCalls(id: string, path: string, before: VersionedFile, newText: string): DerivedCalls {
  if (before === null) return singleCall(id, 'write_file', { path, content: newText });
  const old = versionText(before);
  if (old === null) return { kind: 'none', reason: NOT_TEXT };
  if (isSingleHunk(old, newText)) return singleCall(id, 'edit_file', { path, ...deriveEdit(old, newText) });
  const read = createToolCall(`${id}-read`, 'read_file', { path });
  return { kind: 'calls', calls: [read, createToolCall(id, 'write_file', { path, content: newText })], callId: id };
}

function singleCall(id: string, name: string, args: Readonly<Record<string, unknown>>): DerivedCalls {
  return { kind: 'calls', calls: [createToolCall(id, name, args)], callId: id };
}

function createToolCall(id: string, name: string, args: Readonly<Record<string, unknown>>): ToolCall {
  return { id, name, arguments: JSON.stringify(args) };
}

/** Null if there is no file, or it is not text. */
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

/** The texts of an `edit_file` call. */
type EditArguments = { readonly old_string: string; readonly new_string: string };

/** Replaces `count` lines, from line `first` (0-based) on, by `lines`. */
type LineReplacement = { readonly first: number; readonly count: number; readonly lines: readonly string[] };

/** Adds context lines until the old text occurs once. */
function quoteEdit(old: string, { first, count, lines: newLines }: LineReplacement): EditArguments {
  const lines = splitLines(old);
  for (let context = 0; ; context += 1) {
    const start = Math.max(0, first - context);
    const end = Math.min(lines.length, first + count + context);
    const old_string = lines.slice(start, end).join('');
    const parts = [lines.slice(start, first), newLines, lines.slice(first + count, end)];
    const isWhole = start === 0 && end === lines.length;
    if (isWhole || occursOnce(old, old_string)) return { old_string, new_string: parts.flat().join('') };
  }
}

/** Ignores the difference between CRLF and LF, as `edit_file` does. */
function occursOnce(text: string, search: string): boolean {
  const [haystack, needle] = [text.replaceAll('\r\n', '\n'), search.replaceAll('\r\n', '\n')];
  const first = needle === '' ? -1 : haystack.indexOf(needle);
  return first !== -1 && haystack.indexOf(needle, first + 1) === -1;
}

/** Keeps one change from using most of the proposals that a response may contain. */
const MAX_HUNKS = 5;

/** Limits the time, because each hunk is searched in the whole text. */
const MAX_CHARACTERS = 200_000;

/** An edit for each hunk of a change with several hunks, otherwise none. The calls' ids begin with `id`. */
export function deriveHunkCalls({ path, from, before, after }: CommitFileChange, id: string): readonly ToolCall[] {
  const [old, newText] = [versionText(before), versionText(after)];
  if (from !== null || old === null || newText === null || old.length > MAX_CHARACTERS) return [];
  const hunks = splitHunks(old, newText);
  if (hunks.length < 2 || hunks.length > MAX_HUNKS) return [];
  return hunks.map((hunk, index) => createToolCall(`${id}-${index}`, 'edit_file', { path, ...quoteEdit(old, hunk) }));
}

/** None if the hunks don't lead to exactly the new text. */
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
  for (const { first, count, lines: newLines } of hunks.toReversed()) lines.splice(first, count, ...newLines);
  return lines.join('');
}
