import { createHash } from 'node:crypto';

/** The same for each try to give this thing up, and for nothing else; tells nothing of either. */
export function faultId(pullKey: string, kind: 'signal' | 'effect', id: number): string {
  return createHash('sha256').update(`${pullKey} ${kind} ${id}`).digest('hex').slice(0, 12);
}
