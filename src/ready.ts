import type { Identity } from './introduce.ts';
import type { Store } from './store/store.ts';
import type { Worker } from './worker/worker.ts';

/** What has to work before this process is sent anything. */
export type Readiness = {
  readonly store: Pick<Store, 'ping'>;
  /** Null until GitHub has told. */
  readonly identity: Identity | null;
  /** Null until the identity is known, and while paused. */
  readonly worker: Pick<Worker, 'running'> | null;
  readonly config: { readonly paused: boolean };
};

/** Resolves where deliveries can be stored and are worked on (or are kept on purpose); rejects with what is missing. */
export async function checkReady({ store, identity, worker, config }: Readiness): Promise<void> {
  if (identity === null) throw new Error('GitHub has not told yet who we are');
  await store.ping();
  if (!config.paused && worker?.running() !== true) throw new Error('the worker does not run');
}
