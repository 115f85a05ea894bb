import { type messages, type PGlite, parse, protocol } from '@electric-sql/pglite';

/** What a statement gave: its rows, and how many it changed where it changes any. */
export type Given = { readonly rows: readonly object[]; readonly changed: number | null; readonly tag: string };

const { serialize } = protocol;
/** Statements that stay prepared: the store has some fifty, and those with lists are one for each length. */
const MOST = 200;

/**
 * Runs statements on a PGlite, each of them parsed and planned once for as long as it is used: PGlite's own `query` does
 * both every time, and asks back in between, which is most of what a small query costs. One call at a time.
 * Throws the database's error.
 */
export class PreparedStatements {
  readonly #pglite: PGlite;
  /** Names by text, least recently used first. */
  readonly #names = new Map<string, string>();
  /** Names that may be left from statements that failed. */
  readonly #doubtful: string[] = [];
  #count = 0;

  /** Those of this PGlite: it is one session, and knows its statements by name, whoever prepared them. */
  static of(pglite: PGlite): PreparedStatements {
    const known = sessions.get(pglite) ?? new PreparedStatements(pglite);
    sessions.set(pglite, known);
    return known;
  }

  private constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async run(text: string, values: readonly unknown[]): Promise<Given> {
    const known = this.#names.get(text);
    const name = known ?? this.#newName();
    const answered = await this.#send([
      ...(known === undefined ? [...this.#closings(), serialize.parse({ name, text })] : []),
      serialize.bind({ statement: name, values: values.map(toText) }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]).catch((error: unknown) => {
      // Nobody says whether it was the parsing that failed.
      if (known === undefined) this.#doubtful.push(name);
      throw error;
    });
    this.#names.delete(text);
    this.#names.set(text, name);
    return given(answered, this.#pglite);
  }

  async #send(messages: readonly Uint8Array[]): Promise<messages.BackendMessage[]> {
    await this.#pglite.waitReady;
    const answered = await this.#pglite.runExclusive(() => this.#pglite.execProtocol(joined(messages)));
    return answered.messages;
  }

  #newName(): string {
    this.#count += 1;
    return `countersign_${this.#count}`;
  }

  /** Closing a name that nothing has is no error. */
  #closings(): readonly Uint8Array[] {
    const [oldest] = this.#names;
    if (oldest !== undefined && this.#names.size >= MOST) {
      const [text, name] = oldest;
      this.#names.delete(text);
      this.#doubtful.push(name);
    }
    return this.#doubtful.splice(0).map((name) => serialize.close({ type: 'S', name }));
  }
}

const sessions = new WeakMap<PGlite, PreparedStatements>();

function given(answered: messages.BackendMessage[], pglite: PGlite): Given {
  const [result] = parse.parseResults(answered, pglite.parsers);
  const complete = answered.find((message) => message.name === 'commandComplete');
  const tag = complete !== undefined && 'text' in complete ? String(complete.text) : '';
  return { rows: result?.rows.map(Object) ?? [], changed: result?.affectedRows ?? null, tag };
}

/** A value in the database's text form; the database knows the types. */
function toText(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? 't' : 'f';
    default:
      if (value === null || value === undefined) return null;
      throw new TypeError(`The store keeps no ${typeof value} in a column`);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
