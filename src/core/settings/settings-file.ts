import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { decodeText } from '../edits/text/characters.ts';

/** A problem at a line of the file (1-based). The message begins in lower case. */
export type SettingsProblem = { readonly line: number; readonly message: string };

/** Location of a value: keys, and 0-based list indexes. */
export type ValuePath = readonly (string | number)[];

/** The file as plain values, with the line of each. */
export type ParsedYaml =
  | { readonly kind: 'values'; readonly value: unknown; readonly lineOf: (path: ValuePath) => number }
  /** `legible` is what can be read of the values nevertheless; lists of a repeated key stand one behind the other. */
  | { readonly kind: 'invalid'; readonly problems: readonly SettingsProblem[]; readonly legible: unknown };

/** The list `rules`, a rule, its paths, one path. */
const MAX_NESTING_DEPTH = 5;

/**
 * Parses YAML 1.2 without features that can hide a value: anchors, aliases, tags, directives, further documents and
 * duplicate keys. Never throws. The time is linear in the length of the text.
 */
export function parseYaml(bytes: Uint8Array): ParsedYaml {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return invalidYaml(1, 'the file is not UTF-8 text');
  try {
    return parseYamlText(decoded.text);
  } catch {
    return invalidYaml(1, TOO_DEEP);
  }
}

function parseYamlText(text: string): ParsedYaml {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
  const document = parseDocument(text, {
    lineCounter: lines,
    // 'silent' would ignore a second document.
    logLevel: 'error',
    prettyErrors: false,
    // The library's check takes quadratic time; `toRecord` has a linear one.
    uniqueKeys: false,
  });
  const problems = document.errors.map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    message: describeYamlError(message),
  }));
  if (document.directives?.yaml.explicit === true)
    problems.push({ line: 1, message: 'a %YAML directive is not allowed: YAML 1.2 is read' });
  const walk: YamlWalk = { lineAt, problems: [], lines: new Map() };
  const value = toPlainValue(document.contents, [], walk);
  if (problems.length > 0) return { kind: 'invalid', problems, legible: value };
  if (walk.problems.length > 0) return { kind: 'invalid', problems: walk.problems, legible: value };
  return { kind: 'values', value, lineOf: (path) => findNearestLine(walk.lines, path) };
}

function invalidYaml(line: number, message: string): ParsedYaml {
  return { kind: 'invalid', problems: [{ line, message }], legible: null };
}

/** The library's words, but for those that are about itself. */
function describeYamlError(message: string): string {
  if (/multiple documents/.test(message))
    return 'not valid YAML: multiple documents in one file; remove the line --- or ...';
  if (/stack size|stack overflow/i.test(message)) return TOO_DEEP;
  return `not valid YAML: ${message}`;
}

const TOO_DEEP = 'the file is nested too deeply to be read';

type YamlWalk = {
  readonly lineAt: (offset: number | undefined) => number;
  readonly problems: SettingsProblem[];
  /** By `pathKey`. */
  readonly lines: Map<string, number>;
};

function toPlainValue(node: Node | null, path: ValuePath, walk: YamlWalk): unknown {
  if (node === null) return null;
  const line = walk.lineAt(node.range?.[0]);
  const refuse = (message: string): undefined => void walk.problems.push({ line, message });
  if (path.length > MAX_NESTING_DEPTH) return refuse('this is nested deeper than any setting');
  if (isAlias(node))
    return refuse('an alias (*) is not allowed: write the value itself, and a glob that begins with * in quotes');
  if (node.tag !== undefined) return refuse('a tag (!) is not allowed');
  if (isScalar(node) && node.anchor === undefined) return node.value;
  if ('anchor' in node && node.anchor !== undefined) return refuse('an anchor (&) is not allowed');
  if (isSeq<Node | null>(node)) return node.items.map((item, at) => toListItem(item, [...path, at], walk));
  if (isMap<Node, Node | null>(node)) return toRecord(node.items, path, walk);
  return refuse('this is not a plain value');
}

function toListItem(item: Node | null, path: ValuePath, walk: YamlWalk): unknown {
  if (item !== null) walk.lines.set(pathKey(path), walk.lineAt(item.range?.[0]));
  return toPlainValue(item, path, walk);
}

function toRecord(pairs: readonly Pair<Node, Node | null>[], path: ValuePath, walk: YamlWalk): unknown {
  const seen = new Map<string, unknown>();
  for (const { key, value } of pairs) {
    const line = walk.lineAt(key.range?.[0]);
    if (!isScalar(key) || typeof key.value !== 'string' || key.tag !== undefined || key.anchor !== undefined) {
      walk.problems.push({ line, message: 'a key must be a plain word' });
      continue;
    }
    const name = key.value;
    const valuePath = [...path, name];
    if (seen.has(name)) walk.problems.push({ line, message: `${JSON.stringify(name.slice(0, 60))} appears twice` });
    if (!walk.lines.has(pathKey(valuePath))) walk.lines.set(pathKey(valuePath), line);
    const plain = toPlainValue(value, valuePath, walk);
    const earlier = seen.get(name);
    seen.set(name, Array.isArray(earlier) && Array.isArray(plain) ? [...earlier, ...plain] : plain);
  }
  return Object.fromEntries(seen);
}

function pathKey(path: ValuePath): string {
  return JSON.stringify(path);
}

/** The line of the value; of a missing value, that of its closest parent. */
function findNearestLine(lines: ReadonlyMap<string, number>, path: ValuePath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(pathKey(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 1;
}
