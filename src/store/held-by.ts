import { sql } from 'kysely';
import type { Claim } from './store.ts';

/** Whether a row of `pulls` is still this claim's. */
export function isHeldBy({ pullKey, fence, mark }: Claim) {
  return sql<boolean>`pulls.pull_key = ${pullKey} and pulls.fence = ${fence} and pulls.worker = ${mark}`;
}
