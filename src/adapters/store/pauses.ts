import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PullRequestRef } from '../../core/state/intent.ts';
import { type DatabaseSchema, toStored } from './engine/schema.ts';
import type { InterpretedDelivery } from './store.ts';

/** The accounts and repositories where nothing is done, with the time (ISO 8601) since when. */
type Pauses = readonly { readonly name: string; readonly since: string }[];

/** The name of a repository as pauses name it: `acme/shop`, in lower case, because GitHub ignores case. */
export function repositoryName({ owner, repo }: Pick<PullRequestRef, 'owner' | 'repo'>): string {
  return `${owner}/${repo}`.toLowerCase();
}

/** A condition on a row of `pulls`: its repository or the account of it is paused. */
export const IS_PAUSED = sql<boolean>`exists (
  select from pauses where pauses.name in (pulls.repository, split_part(pulls.repository, '/', 1))
)`;

const NOTICE = 'paused:';

/** A condition on a row of `effects`: the one reply that is posted during a pause. */
export const IS_NOTICE = sql<boolean>`starts_with(effects.once_key, ${sql.lit(NOTICE)})`;

/**
 * Inserts the reply to a delivery of `stored` that asks for something while its repository is paused: once on the pull
 * request for each pause.
 */
export function noticeCte({ pausedReply }: InterpretedDelivery, now: number): RawBuilder<unknown> {
  return sql`notice as (
    insert into effects (pull_key, lane, type, once_key, body, created_at, not_before)
    select pulls.pull_key, 'exclusive', 'reply', ${NOTICE} || min(pauses.since),
      ${pausedReply === undefined ? '' : toStored(pausedReply)}, ${now}::bigint, ${now}::bigint
    from stored join pulls on pulls.pull_key = stored.pull_key
      join pauses on pauses.name in (pulls.repository, split_part(pulls.repository, '/', 1))
    where ${pausedReply !== undefined}::boolean
    group by pulls.pull_key
    on conflict do nothing
  )`;
}

/** Pauses an account or repository (`acme` or `acme/shop`), and answers with all that is paused. */
export async function pause(
  db: Kysely<DatabaseSchema>,
  { name, now }: { readonly name: string; readonly now: number },
): Promise<Pauses> {
  await sql`insert into pauses (name, since) values (${name.toLowerCase()}, ${now}) on conflict do nothing`.execute(db);
  return listPauses(db);
}

/** Ends a pause, and answers with all that is paused still. */
export async function unpause(db: Kysely<DatabaseSchema>, { name }: { readonly name: string }): Promise<Pauses> {
  await db.deleteFrom('pauses').where('name', '=', name.toLowerCase()).execute();
  return listPauses(db);
}

async function listPauses(db: Kysely<DatabaseSchema>): Promise<Pauses> {
  const rows = await db.selectFrom('pauses').selectAll().orderBy('name').execute();
  return rows.map(({ name, since }) => ({ name, since: new Date(since).toISOString() }));
}
