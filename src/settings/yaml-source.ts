import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { decodeText } from '../change/text.ts';

/** Something wrong at a line of the file (1-based), in words that begin in lower case. */
export type Problem = { readonly line: number; readonly what: string };

/** Where a value stands: keys, and places in a list from 0. */
export type ValuePath = readonly (string | number)[];

/** A file of settings as plain values, and the line of each. */
export type YamlSource =
  | { readonly kind: 'values'; readonly value: unknown; readonly lineOf: (path: ValuePath) => number }
  | { readonly kind: 'unread'; readonly problems: readonly Problem[] };

/** `rules`, one of them, its paths, one of them. */
const DEEPEST = 5;

/**
 * Reads YAML 1.2 without whatever could say more than it shows: no anchors, aliases, tags, directives or second document,
 * and no key twice. Never throws, and takes no longer than a few times the text's length.
 */
export function readYaml(bytes: Uint8Array): YamlSource {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return unread(1, 'the file is not UTF-8 text');
  try {
    return readText(decoded.text);
  } catch {
    return unread(1, 'the file could not be read: it is nested too deeply');
  }
}

function readText(text: string): YamlSource {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
  const document = parseDocument(text, {
    lineCounter: lines,
    // 'silent' would pass over a second document.
    logLevel: 'error',
    prettyErrors: false,
    // Its own search for equal keys takes the square of their number; ours is below.
    uniqueKeys: false,
  });
  const wrong = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), what: notYaml(message) }));
  if (document.directives?.yaml.explicit === true)
    wrong.push({ line: 1, what: 'a %YAML directive is not allowed: YAML 1.2 is read' });
  if (wrong.length > 0) return { kind: 'unread', problems: wrong };
  const walk: Walk = { lineAt, problems: [], lines: new Map() };
  const value = plain(document.contents, [], walk);
  if (walk.problems.length > 0) return { kind: 'unread', problems: walk.problems };
  return { kind: 'values', value, lineOf: (path) => nearestLine(walk.lines, path) };
}

function unread(line: number, what: string): YamlSource {
  return { kind: 'unread', problems: [{ line, what }] };
}

function notYaml(message: string): string {
  return `not valid YAML: ${message}`;
}

type Walk = {
  readonly lineAt: (offset: number | undefined) => number;
  readonly problems: Problem[];
  /** By `keyOf` of a path. */
  readonly lines: Map<string, number>;
};

function plain(node: Node | null, path: ValuePath, walk: Walk): unknown {
  if (node === null) return null;
  const line = walk.lineAt(node.range?.[0]);
  const refuse = (what: string): undefined => void walk.problems.push({ line, what });
  if (path.length > DEEPEST) return refuse('this is nested deeper than any setting');
  if (isAlias(node)) return refuse('an alias (*) is not allowed: write the value itself');
  if (node.tag !== undefined) return refuse('a tag (!) is not allowed');
  if (isScalar(node) && node.anchor === undefined) return node.value;
  if ('anchor' in node && node.anchor !== undefined) return refuse('an anchor (&) is not allowed');
  if (isSeq<Node | null>(node)) return node.items.map((item, at) => itemOf(item, [...path, at], walk));
  if (isMap<Node, Node | null>(node)) return recordOf(node.items, path, walk);
  return refuse('this is not a plain value');
}

function itemOf(item: Node | null, path: ValuePath, walk: Walk): unknown {
  if (item !== null) walk.lines.set(keyOf(path), walk.lineAt(item.range?.[0]));
  return plain(item, path, walk);
}

function recordOf(pairs: readonly Pair<Node, Node | null>[], path: ValuePath, walk: Walk): unknown {
  const seen = new Map<string, unknown>();
  for (const { key, value } of pairs) {
    const line = walk.lineAt(key.range?.[0]);
    if (!isScalar(key) || typeof key.value !== 'string' || key.tag !== undefined || key.anchor !== undefined) {
      walk.problems.push({ line, what: 'a key must be a plain word' });
      continue;
    }
    const name = key.value;
    const below = [...path, name];
    if (seen.has(name)) walk.problems.push({ line, what: `${JSON.stringify(name.slice(0, 60))} stands twice` });
    if (!walk.lines.has(keyOf(below))) walk.lines.set(keyOf(below), line);
    seen.set(name, plain(value, below, walk));
  }
  return Object.fromEntries(seen);
}

function keyOf(path: ValuePath): string {
  return JSON.stringify(path);
}

/** The line of the value, or, where it is missing, of what it is missing from. */
function nearestLine(lines: ReadonlyMap<string, number>, path: ValuePath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(keyOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 1;
}
