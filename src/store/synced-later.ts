import { sql } from 'kysely';

/**
 * A condition that always holds, for a statement that is a transaction of its own: its commit does not wait for the disk.
 * What is written so is seen by everybody at once, and is on disk before anything that is committed after it; only a
 * database that dies takes the last of it along. Never for what somebody outside is told of right after it: a write to
 * GitHub, or the answer to a webhook.
 */
export const SYNCED_LATER = sql<boolean>`(select set_config('synchronous_commit', 'off', true)) is not null`;
