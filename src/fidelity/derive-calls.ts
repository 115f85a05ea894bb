import { splitLines } from '../change/lines.ts';
import { regionBetween } from '../change/region.ts';
import { decodeText } from '../change/text.ts';
import type { ToolCall } from '../prompt/message.ts';
import { diffLines } from '../simulator/git/line-diff.ts';
import type { FileChange, Version } from './history.ts';

/** What a model would have to call for a change; the last call is the one that becomes the proposal. */
export type Derived =
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly callId: string }
  | { readonly kind: 'none'; readonly why: string };

/** Text that a person leaves out again, so that own lines differ from what is proposed. */
const EXTRA = 'a line too many';

/** The calls that ask for exactly this change. `id` begins their ids. */
export function callsFor(change: FileChange, id: string): Derived {
  const { path, from, before, after } = change;
  if (from !== null) return single(id, 'move_file', { from, to: path });
  if (after === null) return single(id, 'delete_file', { path });
  const fresh = textOf(after);
  if (fresh === null) return { kind: 'none', why: 'a file that is no text' };
  return calls(id, path, before, fresh);
}

/** The same with one line too many, where people can put own lines in place of the proposed ones; null elsewhere. */
export function variantFor({ path, from, before, after }: FileChange, id: string): Derived | null {
  const fresh = textOf(after);
  if (from !== null || fresh === null) return null;
  if (before === null) return fresh === '' ? null : calls(id, path, null, withExtra(fresh));
  const old = textOf(before);
  const region = old === null ? null : regionBetween(old, fresh);
  if (old === null || region === null || !isOneHunk(old, fresh)) return null;
  const start = region.newStart - (region.new.length === 0 ? 0 : 1);
  const lines = splitLines(fresh);
  const added = withExtra(region.new.join(''));
  const rest = lines.slice(start + region.new.length).join('');
  if (rest !== '' && !added.endsWith('\n')) return null;
  return calls(id, path, before, lines.slice(0, start).join('') + added + rest);
}

/** The extra line stands first, so that the text ends as it did. */
function withExtra(text: string): string {
  return `${EXTRA}\n${text}`;
}

function calls(id: string, path: string, before: Version, fresh: string): Derived {
  if (before === null) return single(id, 'write_file', { path, content: fresh });
  const old = textOf(before);
  if (old === null) return { kind: 'none', why: 'a file that is no text' };
  if (isOneHunk(old, fresh)) return single(id, 'edit_file', { path, ...editOf(old, fresh) });
  const read = call(`${id}-read`, 'read_file', { path });
  return { kind: 'calls', calls: [read, call(id, 'write_file', { path, content: fresh })], callId: id };
}

function single(id: string, name: string, given: Readonly<Record<string, unknown>>): Derived {
  return { kind: 'calls', calls: [call(id, name, given)], callId: id };
}

/** One call of the model. */
export function call(id: string, name: string, given: Readonly<Record<string, unknown>>): ToolCall {
  return { id, name, arguments: JSON.stringify(given) };
}

/** Null for a file that is not there or is no text. */
export function textOf(version: Version): string | null {
  const decoded = version === null ? null : decodeText(version.bytes);
  return decoded?.kind === 'text' ? decoded.text : null;
}

function isOneHunk(old: string, fresh: string): boolean {
  return old !== '' && diffLines(old, fresh, 0).length === 1;
}

function editOf(old: string, fresh: string): Edit {
  const region = regionBetween(old, fresh);
  const first = region === null ? 0 : region.oldStart - (region.old.length === 0 ? 0 : 1);
  return editAt(old, { first, count: region?.old.length ?? 0, fresh: region?.new ?? [] });
}

/** An `edit_file` call's two texts. */
export type Edit = { readonly old_string: string; readonly new_string: string };

/** Lines of a text, counted from 0, and those that are to stand in their place. */
export type Replaced = { readonly first: number; readonly count: number; readonly fresh: readonly string[] };

/** Quotes as many lines around the replaced ones as make them stand once. */
export function editAt(old: string, { first, count, fresh }: Replaced): Edit {
  const lines = splitLines(old);
  for (let around = 0; ; around += 1) {
    const start = Math.max(0, first - around);
    const end = Math.min(lines.length, first + count + around);
    const old_string = lines.slice(start, end).join('');
    const parts = [lines.slice(start, first), fresh, lines.slice(first + count, end)];
    const isWhole = start === 0 && end === lines.length;
    if (isWhole || standsOnce(old, old_string)) return { old_string, new_string: parts.flat().join('') };
  }
}

function standsOnce(text: string, sought: string): boolean {
  const [folded, wanted] = [text.replaceAll('\r\n', '\n'), sought.replaceAll('\r\n', '\n')];
  const first = wanted === '' ? -1 : folded.indexOf(wanted);
  return first !== -1 && folded.indexOf(wanted, first + 1) === -1;
}
