import { parseJson } from '../../trust.ts';
import type { FieldNode, OperationNode, SelectionNode, ValueNode, VariableNode } from './graphql-document.ts';

export type ParsedDocument =
  | { readonly ok: true; readonly operation: OperationNode }
  | { readonly ok: false; readonly message: string };

const TOKEN = /\.\.\.|[{}()[\]:!$=@]|[A-Za-z_]\w*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*"/y;
const IGNORED = /(?:[\s,\uFEFF]|#[^\n]*)*/y;

/**
 * Reads a document of one operation with fields, arguments, variables, aliases and inline fragments.
 * Named fragments, directives and block strings are errors: the product does not use them.
 */
export function parseDocument(text: string): ParsedDocument {
  const cursor = new Cursor(tokensOf(text));
  try {
    const operation = readOperation(cursor);
    if (cursor.peek() !== undefined) throw cursor.unexpected();
    return { ok: true, operation };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: error.message };
    throw error;
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  let at = skipped(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    tokens.push(match?.[0] ?? text.slice(at, at + 1));
    at = skipped(text, at + (match?.[0].length ?? 1));
  }
  return tokens;
}

function skipped(text: string, at: number): number {
  IGNORED.lastIndex = at;
  return at + (IGNORED.exec(text)?.[0].length ?? 0);
}

class Cursor {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  next(): string {
    const token = this.peek();
    if (token === undefined) throw new SyntaxError('Unexpected end of document');
    this.#at += 1;
    return token;
  }

  take(token: string): boolean {
    if (this.peek() !== token) return false;
    this.#at += 1;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.unexpected();
  }

  name(): string {
    if (!/^[A-Za-z_]/.test(this.peek() ?? '')) throw this.unexpected();
    return this.next();
  }

  unexpected(): SyntaxError {
    const token = this.peek();
    return new SyntaxError(
      token === undefined ? 'Unexpected end of document' : `Parse error on ${JSON.stringify(token)}`,
    );
  }
}

function readOperation(cursor: Cursor): OperationNode {
  if (cursor.peek() === '{') return { kind: 'query', name: null, variables: [], selections: readSelections(cursor) };
  const kind = cursor.name();
  if (kind !== 'query' && kind !== 'mutation') throw new SyntaxError(`${kind} is not an operation known here`);
  const name = /^[A-Za-z_]/.test(cursor.peek() ?? '') ? cursor.next() : null;
  const variables = cursor.take('(') ? readUntil(cursor, ')', readVariable) : [];
  return { kind, name, variables, selections: readSelections(cursor) };
}

function readUntil<Item>(cursor: Cursor, end: string, read: (cursor: Cursor) => Item): readonly Item[] {
  const items: Item[] = [];
  while (!cursor.take(end)) items.push(read(cursor));
  return items;
}

function readVariable(cursor: Cursor): VariableNode {
  cursor.expect('$');
  const name = cursor.name();
  cursor.expect(':');
  const type = readType(cursor);
  return { name, type, fallback: cursor.take('=') ? readValue(cursor) : undefined };
}

function readType(cursor: Cursor): string {
  let type: string;
  if (cursor.take('[')) {
    type = `[${readType(cursor)}]`;
    cursor.expect(']');
  } else {
    type = cursor.name();
  }
  return cursor.take('!') ? `${type}!` : type;
}

function readSelections(cursor: Cursor): readonly SelectionNode[] {
  cursor.expect('{');
  const selections = readUntil(cursor, '}', readSelection);
  if (selections.length === 0) throw new SyntaxError('A selection is empty');
  return selections;
}

function readSelection(cursor: Cursor): SelectionNode {
  if (!cursor.take('...')) return readField(cursor);
  cursor.expect('on');
  return { kind: 'fragment', on: cursor.name(), selections: readSelections(cursor) };
}

function readField(cursor: Cursor): FieldNode {
  const first = cursor.name();
  const name = cursor.take(':') ? cursor.name() : first;
  const args = new Map(cursor.take('(') ? readUntil(cursor, ')', readEntry) : []);
  const selections = cursor.peek() === '{' ? readSelections(cursor) : [];
  return { kind: 'field', alias: first, name, args, selections };
}

function readEntry(cursor: Cursor): readonly [string, ValueNode] {
  const name = cursor.name();
  cursor.expect(':');
  return [name, readValue(cursor)];
}

function readValue(cursor: Cursor): ValueNode {
  if (cursor.take('$')) return { kind: 'variable', name: cursor.name() };
  if (cursor.take('[')) return { kind: 'list', items: readUntil(cursor, ']', readValue) };
  if (cursor.take('{')) return { kind: 'object', fields: new Map(readUntil(cursor, '}', readEntry)) };
  return { kind: 'literal', value: readLiteral(cursor) };
}

function readLiteral(cursor: Cursor): string | number | boolean | null {
  const token = cursor.next();
  if (/^[A-Za-z_]/.test(token) && !['true', 'false', 'null'].includes(token)) return token;
  if (!/^(?:"|-?\d|true$|false$|null$)/.test(token)) throw new SyntaxError(`Parse error on ${JSON.stringify(token)}`);
  const value = parseJson(token);
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new SyntaxError(`Parse error on ${JSON.stringify(token)}`);
}
