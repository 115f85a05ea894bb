import { createHash, type Hash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { LEDGER_CHAIN_LOCK } from './engine/ledger-tables.ts';
import type { DatabaseSchema } from './engine/schema.ts';

/** The state of the ledger up to a time of the database's clock (ms), and everything that does not fit its chain. */
export type LedgerChainReport = {
  readonly until: number;
  readonly rowCount: number;
  readonly pullCount: number;
  /** SHA-256 (hex) over the heads of all chains. The same time gives the same hash again, however much is added. */
  readonly hash: string;
  readonly problems: readonly string[];
};

/** Enough to see what happened. The count of all is in the last one. */
const MAX_PROBLEMS = 20;

const PAGE_ROWS = 1_000;

/**
 * Recomputes the chain of every pull request, in one consistent snapshot. `until` (ms) limits the count and the hash to
 * the rows that were there at that time; null is now.
 */
export async function checkLedgerChain(db: Kysely<DatabaseSchema>, until: number | null): Promise<LedgerChainReport> {
  const check = new ChainCheck(until ?? (await settledTime(db)));
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      await DECLARE_CHAIN.execute(transaction);
      for (;;) {
        const { rows } = await sql<ChainRow>`fetch ${sql.lit(PAGE_ROWS)} from chain`.execute(transaction);
        for (const row of rows) check.add(row);
        if (rows.length === 0) break;
      }
      check.addProblems(await findLooseRows(transaction));
      return check.report();
    });
}

/**
 * A time (ms) before which nothing is added any more: writers hold the lock until their rows are visible, and take
 * their time after they have got it.
 */
function settledTime(db: Kysely<DatabaseSchema>): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '10s'`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${LEDGER_CHAIN_LOCK}::bigint)`.execute(transaction);
    const { rows } = await sql<{ now: number }>`
      select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, max(at)) as now from ledger_heads
    `.execute(transaction);
    return Number(rows[0]?.now);
  });
}

type ChainRow = {
  readonly pull_key: string;
  readonly position: number;
  readonly kind: string;
  readonly at: number;
  readonly hash: string;
  /** The row as it is hashed; null if it is gone. */
  readonly content: string | null;
  readonly texts_fit: boolean;
  /** From the row of heads; null if it is gone. */
  readonly number: number | null;
  readonly length: number | null;
  readonly head: string | null;
};

function fits(field: string) {
  const [text, salt, seal] = [sql.ref(field), sql.ref(`${field}_salt`), sql.ref(`${field}_seal`)];
  // The salt has a fixed length, so that no character of the text can move into it.
  return sql`(${text} is null or coalesce(length(${salt}) = 36 and ${seal} = encode(sha256(convert_to(${salt} || ${text}, 'UTF8')), 'hex'), false))`;
}

/** Every join uses the index of a primary key. */
const DECLARE_CHAIN = sql`
  declare chain no scroll cursor for
  select ledger_chain.pull_key, ledger_chain.position, ledger_chain.kind, ledger_chain.at, ledger_chain.hash,
    jsonb_strip_nulls(case ledger_chain.kind
      when 'votes' then to_jsonb(votes) - '{text,text_salt}'::text[]
      when 'proposal_outcomes' then to_jsonb(proposal_outcomes) - '{note,note_salt,record,record_salt}'::text[]
      else to_jsonb(committed_changes)
    end)::text as content,
    ${fits('votes.text')} and ${fits('proposal_outcomes.note')} and ${fits('proposal_outcomes.record')} as texts_fit,
    ledger_heads.number, ledger_heads.length, ledger_heads.hash as head
  from ledger_chain
  left join ledger_heads on ledger_heads.pull_key = ledger_chain.pull_key
  left join votes on votes.id =
    case when ledger_chain.kind = 'votes' and row_key ~ '^[0-9]{1,18}$' then row_key::bigint end
  left join committed_changes on committed_changes.id =
    case when ledger_chain.kind = 'committed_changes' and row_key ~ '^[0-9]{1,18}$' then row_key::bigint end
  left join proposal_outcomes on ledger_chain.kind = 'proposal_outcomes'
    and proposal_outcomes.pull_key = ledger_chain.pull_key and proposal_outcomes.proposal_id = row_key
  order by ledger_heads.number, ledger_chain.pull_key, ledger_chain.position
`;

/** Rows without an entry in the chain, chains without entries, and chains that are gone. */
async function findLooseRows(transaction: Transaction<DatabaseSchema>): Promise<readonly string[]> {
  const { rows } = await sql<{ problem: string }>`
    select pull_key || ': a row of votes was added past the chain' as problem from votes
      where not exists (select from ledger_chain where kind = 'votes' and ledger_chain.pull_key = votes.pull_key and row_key = id::text)
    union all
    select pull_key || ': a row of committed_changes was added past the chain' from committed_changes
      where not exists (select from ledger_chain where kind = 'committed_changes' and ledger_chain.pull_key = committed_changes.pull_key and row_key = id::text)
    union all
    select pull_key || ': a row of proposal_outcomes was added past the chain' from proposal_outcomes
      where not exists (select from ledger_chain where kind = 'proposal_outcomes' and ledger_chain.pull_key = proposal_outcomes.pull_key and row_key = proposal_id)
    union all
    select pull_key || ': all of its ' || length || ' rows were removed' from ledger_heads
      where not exists (select from ledger_chain where ledger_chain.pull_key = ledger_heads.pull_key)
    union all
    select 'of ' || pulls || ' pull requests, ' || (select count(*) from ledger_heads) || ' are left' from ledger_size
      where pulls <> (select count(*) from ledger_heads)
    union all
    select 'the number of pull requests was removed' where exists (select from ledger_heads) and not exists (select from ledger_size)
  `.execute(transaction);
  return rows.map(({ problem }) => problem);
}

/** Takes the entries of all chains in order, one chain after the other. */
class ChainCheck {
  readonly #until: number;
  readonly #hash: Hash = createHash('sha256');
  readonly #problems: string[] = [];
  #rowCount = 0;
  #pullCount = 0;
  #last: ChainRow | null = null;
  /** The last entry of the chain within the time, and their number. */
  #settled: { readonly row: ChainRow; readonly length: number } | null = null;

  constructor(until: number) {
    this.#until = until;
  }

  add(row: ChainRow): void {
    if (row.pull_key !== this.#last?.pull_key) this.#endChain();
    const position = (this.#last?.position ?? 0) + 1;
    if (row.position !== position) this.#report(row.pull_key, `row ${position} was removed`);
    const problem = rowProblem(row, row.position === position ? (this.#last?.hash ?? '') : null);
    if (problem !== null) this.#report(row.pull_key, `row ${row.position} (${row.kind}) ${problem}`);
    if (row.at <= this.#until) this.#settled = { row, length: (this.#settled?.length ?? 0) + 1 };
    this.#last = row;
  }

  addProblems(problems: readonly string[]): void {
    this.#problems.push(...problems);
  }

  report(): LedgerChainReport {
    this.#endChain();
    const more = this.#problems.length - MAX_PROBLEMS;
    return {
      until: this.#until,
      rowCount: this.#rowCount,
      pullCount: this.#pullCount,
      hash: this.#hash.digest('hex'),
      problems: more > 0 ? [...this.#problems.slice(0, MAX_PROBLEMS), `and ${more} more`] : this.#problems,
    };
  }

  #report(pullKey: string, problem: string): void {
    this.#problems.push(`${pullKey}: ${problem}`);
  }

  #endChain(): void {
    const last = this.#last;
    if (last !== null && last.length === null) this.#report(last.pull_key, 'its count of rows was removed');
    else if (last !== null && (last.position !== last.length || last.hash !== last.head))
      this.#report(last.pull_key, `it ends with row ${last.position}, but had ${last.length}`);
    if (this.#settled !== null) {
      const { row, length } = this.#settled;
      this.#hash.update(`${row.number} ${row.pull_key} ${length} ${row.hash}\n`);
      this.#rowCount += length;
      this.#pullCount += 1;
    }
    this.#last = null;
    this.#settled = null;
  }
}

/** `previousHash` is null after a removed entry: then the hash cannot be recomputed. */
function rowProblem({ kind, at, hash, content, texts_fit }: ChainRow, previousHash: string | null): string | null {
  if (content === null) return 'was removed';
  if (previousHash !== null && hash !== chainHash(previousHash, kind, at, content)) return 'was changed';
  return texts_fit ? null : 'has another text than when it was added';
}

function chainHash(previousHash: string, kind: string, at: number, content: string): string {
  return createHash('sha256').update([previousHash, kind, at, content].join('\n')).digest('hex');
}
