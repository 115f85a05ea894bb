import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type ReceiveBackend, receive } from './receive.ts';
import type { InterpretedDelivery } from './store.ts';

/** Random text, which does not compress, so that the rows do not fit into leftover space of a full disk. */
const REHEARSED_BYTES = 8_192;

/**
 * Stores a made-up delivery and takes it back. Nobody ever sees it: its transaction is always rolled back. Rejects with
 * the error that a real delivery would meet.
 */
export async function rehearseReceive({ db, embedded }: ReceiveBackend, now: number): Promise<void> {
  const rehearsed = new RehearsedError();
  try {
    await db.transaction().execute(async (transaction) => {
      await receive({ db: transaction, embedded }, [{ delivery: makeUpDelivery(), now }]);
      throw rehearsed;
    });
  } catch (error) {
    if (error !== rehearsed) throw error;
  }
}

/** Rolls back the transaction of a successful rehearsal. */
class RehearsedError extends Error {}

/** A push to a pull request that cannot exist: GitHub's ids are positive. */
function makeUpDelivery(): InterpretedDelivery {
  const pull = { installationId: -1, repositoryId: -randomInt(1, 0x7fff_ffff), owner: '', repo: '', number: 0 };
  const actor = { id: 0, login: '', type: 'Bot', viaApp: true } as const;
  const before = randomBytes(REHEARSED_BYTES).toString('base64');
  return {
    id: `rehearsal-${randomUUID()}`,
    contentKey: null,
    intent: { kind: 'pushed', pull, actor, before, after: '' },
  };
}
