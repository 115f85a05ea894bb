import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Hand } from './hand-out.ts';
import type { CasePiece, Found, HuntPiece } from './pieces.ts';
import type { Tally } from './tally.ts';

/** A thread that plays cases. */
export const hirePlayer = (): Hand<CasePiece, Tally> => hire();

/** A thread that hunts mutants. */
export const hireHunter = (): Hand<HuntPiece, Found> => hire();

function hire<Piece, Answer>(): Hand<Piece, Answer> {
  const thread = new Worker(new URL('./piece-thread.ts', import.meta.url));
  const broke = new Promise<never>((_resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
  });
  // It may break between two pieces, while nobody waits: whoever asks next hears it.
  broke.catch(() => {});
  return {
    async does(piece) {
      thread.postMessage(piece);
      const [answer] = await Promise.race([once(thread, 'message'), broke]);
      return answer;
    },
    ends: async () => void (await thread.terminate()),
  };
}
