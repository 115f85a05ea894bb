import { Client, type ClientConfig } from 'pg';
import { HOLDERS } from './backend.ts';

const CHANNEL = 'countersign_wake';
const RECONNECT_MS = 1_000;

/**
 * One connection for the life of the process: it holds the advisory lock that keeps this process's leases valid, and
 * listens for other processes' wake-ups. Where it breaks it is opened anew; until then others may take over our leases,
 * which costs work twice at most, because every write is fenced.
 */
export type Watch = {
  tell(): void;
  onTold(listener: () => void): void;
  close(): Promise<void>;
};

type State = { client: Client | null; closed: boolean; telling: boolean; timer: NodeJS.Timeout | null };

/** Connects once; throws if that first time fails. */
export async function openWatch(config: ClientConfig, holder: number): Promise<Watch> {
  const state: State = { client: null, closed: false, telling: false, timer: null };
  const listeners: (() => void)[] = [];
  const told = (): void => {
    for (const listener of listeners) listener();
  };
  await connect(state, config, holder, told);
  return {
    tell: () => tell(state, holder),
    onTold: (listener) => void listeners.push(listener),
    async close() {
      state.closed = true;
      if (state.timer !== null) clearTimeout(state.timer);
      await state.client?.end();
    },
  };
}

async function connect(state: State, config: ClientConfig, holder: number, told: () => void): Promise<void> {
  const client = new Client(config);
  client.on('error', () => lost(state, client, config, holder, told));
  client.on('end', () => lost(state, client, config, holder, told));
  client.on('notification', ({ payload }) => {
    if (payload !== String(holder)) told();
  });
  await client.connect();
  // Waits where the server has not noticed yet that our former connection is gone.
  await client.query('select pg_advisory_lock($1::integer, $2::integer)', [HOLDERS, holder]);
  await client.query(`listen ${CHANNEL}`);
  if (state.closed) return client.end();
  state.client = client;
}

function lost(state: State, client: Client, config: ClientConfig, holder: number, told: () => void): void {
  if (state.client !== client) return;
  state.client = null;
  client.end().catch(() => {});
  again(state, config, holder, told);
}

function again(state: State, config: ClientConfig, holder: number, told: () => void): void {
  if (state.closed) return;
  state.timer = setTimeout(() => {
    connect(state, config, holder, told).then(told, () => again(state, config, holder, told));
  }, RECONNECT_MS);
}

/** At most one message is on its way: whoever hears it looks at everything anyway. */
function tell(state: State, holder: number): void {
  if (state.client === null || state.telling) return;
  state.telling = true;
  state.client
    .query('select pg_notify($1, $2)', [CHANNEL, String(holder)])
    .catch(() => {})
    .finally(() => {
      state.telling = false;
    });
}
