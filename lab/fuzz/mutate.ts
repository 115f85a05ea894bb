import { gunzipSync, gzipSync } from 'node:zlib';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { Random } from '../simulation/world/random.ts';

/** Characters and words that readers of text treat in a special way. */
const SPECIAL_TEXTS: readonly string[] = [
  ...[
    '\0',
    '\r',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\u00a0',
    '\u2028',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '\udc00',
  ],
  ...[
    '>',
    '> ',
    '```',
    '````',
    '~~~',
    '```suggestion',
    '    ',
    '- ',
    '1. ',
    '#',
    '<!--',
    '-->',
    '<details>',
    '&gt;',
    '\\',
  ],
  ...['/approve', '/approve all', '/deny', '/countersign', '/stop', '@countersign ', '`k7q2`', 'k7q2', '@', '/'],
  ...['"', "'", '{', '}', '[', ']', ':', ',', 'null', 'true', '__proto__', 'constructor', '\\u0000', '\\ud800'],
  ...['0', '-1', '1e999', '9007199254740993', '0x10', '-0'],
  ...['&a ', '*a', '<<: *a', '!!js ', '%YAML 1.1', '---', '...', '|', '>-', '? '],
  ...['@@ -1,1 +1,1 @@', '+', '-', '\\ No newline at end of file', '--- a/x', '+++ b/x', 'diff --git a/x b/x'],
  ...['Countersign-Proposal: ', 'Countersign-Digest: sha256:', 'Countersign-Range: ', 'Approved-by: @'],
  ...['../', '//', 'é', 'e\u0301', 'а', '\u001b[31m', '\u009b'],
];

const MAX_REPEATS = 200;

/** A changed copy of a text: one to five random changes. `others` lends its texts for parts to insert. */
export function mutateText(random: Random, text: string, others: readonly string[]): string {
  let changed = text;
  for (let count = 1 + random.integer(5); count > 0; count -= 1)
    changed = random.pick(TEXT_CHANGES)(random, changed, others);
  return changed;
}

type TextChange = (random: Random, text: string, others: readonly string[]) => string;

const TEXT_CHANGES: readonly TextChange[] = [
  (random, text) => insert(random, text, random.pick(SPECIAL_TEXTS)),
  (random, text) => insert(random, text, random.pick(SPECIAL_TEXTS).repeat(1 + random.integer(MAX_REPEATS))),
  (random, text) => insert(random, text, slice(random, text)),
  (random, text, others) => insert(random, text, slice(random, random.pick(others))),
  (random, text) => remove(random, text),
  (random, text) => swapLines(random, text),
  (random, text) => text.slice(0, random.integer(text.length + 1)),
];

function insert(random: Random, text: string, part: string): string {
  const at = random.integer(text.length + 1);
  return text.slice(0, at) + part + text.slice(at);
}

function slice(random: Random, text: string): string {
  const start = random.integer(text.length + 1);
  return text.slice(start, start + random.integer(80));
}

function remove(random: Random, text: string): string {
  const start = random.integer(text.length + 1);
  return text.slice(0, start) + text.slice(start + 1 + random.integer(20));
}

function swapLines(random: Random, text: string): string {
  const lines = text.split('\n');
  const [from, to] = [random.integer(lines.length), random.integer(lines.length)];
  [lines[from], lines[to]] = [lines[to] ?? '', lines[from] ?? ''];
  return lines.join('\n');
}

/** Values in place of any other value of a JSON document. */
const SPECIAL_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, '', ' ', 'x'.repeat(70_000), '\ud800', '\0', '__proto__'],
  ...[[], {}, [[]], [null], { id: null }, Array.from({ length: 1_000 }, () => ({}))],
];

/** A changed copy of a JSON value: one random part is replaced, removed or changed as text. */
export function mutateJson(random: Random, value: unknown): unknown {
  if (typeof value === 'string' && random.chance(0.6)) return mutateText(random, value, [value]);
  if (!isContainer(value) || random.chance(0.1)) return random.pick(SPECIAL_VALUES);
  const entries: (readonly [string, unknown])[] = Object.entries(value);
  if (entries.length === 0) return random.pick(SPECIAL_VALUES);
  const at = random.integer(entries.length);
  const [key, part] = entries[at] ?? ['', null];
  if (random.chance(0.1)) entries.splice(at, 1);
  else entries[at] = [key, mutateJson(random, part)];
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A changed copy of binary data: bytes are replaced, removed, repeated or cut off. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.integer(bytes.length + 1);
  const before = bytes.subarray(0, at);
  switch (random.integer(4)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.integer(256)]), bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, bytes.subarray(at + 1 + random.integer(600))]);
    case 2:
      return Buffer.concat([before, bytes.subarray(random.integer(at + 1), at), bytes.subarray(at)]);
    default:
      return Buffer.from(before);
  }
}

/** The text of a packed input, or null if it is not packed. Changes inside reach deeper than changes outside. */
export function unpack(input: Buffer): Buffer | null {
  try {
    return gunzipSync(input);
  } catch {
    return null;
  }
}

export function repack(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: 1 });
}

/** The value of a JSON input; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    const value = parseJson(text);
    return isRecord(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
