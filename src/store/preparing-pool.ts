import { createHash } from 'node:crypto';
import type { PostgresPool } from 'kysely';
import type { Pool, PoolClient } from 'pg';

/** Statements that stay prepared: the store has some fifty, and those with lists are one for each length. */
const MOST = 200;
/** Longer ones are lists of many rows, which hardly come again. */
const LONGEST = 4_000;

/** The pool, with each statement parsed once for each connection: that is most of what the server does for a small one. */
export function preparing(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  const clients = new WeakMap<PoolClient, PoolClient>();

  /** Undefined for what is not worth it. */
  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    if (known !== undefined || text.length > LONGEST || names.size >= MOST) return known;
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
    return name;
  }

  const wrapped = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, key) {
        if (key !== 'query') return Reflect.get(target, key);
        return (text: string, values: readonly unknown[]) =>
          target.query({ text, values: [...values], name: nameOf(text) });
      },
    });

  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const known = clients.get(client) ?? wrapped(client);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}
