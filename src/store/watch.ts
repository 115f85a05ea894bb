import { Client, type ClientConfig } from 'pg';
import { HOLDERS } from './backend.ts';

const CHANNEL = 'countersign_wake';
/** Between tries to connect anew, after a first one at once. */
const RECONNECT_MS = 1_000;
/** Between two messages to others: under load each group of deliveries would send one, which costs more than storing it. */
const TELL_MS = 20;

/**
 * One connection for the life of the process: it holds the advisory lock that keeps this process's leases valid, and
 * listens for other processes' wake-ups. Where it breaks it is opened anew at once; until it is, others may take over our
 * leases, and this process takes nothing more and begins no more writes to GitHub. Others write nothing twice here, because
 * every write is fenced, and look on GitHub before they repeat; only what is on its way there in that moment may stand there
 * twice.
 */
export type Watch = {
  tell(): void;
  onTold(listener: () => void): void;
  /** Calls back whenever the connection breaks. */
  onCut(listener: () => void): void;
  /** The connection under which the lock is held; null while it is opened anew. */
  tenure(): object | null;
  close(): Promise<void>;
};

type State = {
  client: Client | null;
  /** The connection since which the lock has been held for this process without a break. */
  tenure: Client | null;
  closed: boolean;
  timer: NodeJS.Timeout | null;
  /** A message is on its way, or was just now; `more`: something was stored since it was sent. */
  telling: 'no' | 'yes' | 'more';
};

/** Who hears what. */
type Hearers = { readonly told: () => void; readonly cut: () => void };

/** Connects once; throws if that first time fails. */
export async function openWatch(config: ClientConfig, holder: number): Promise<Watch> {
  const state: State = { client: null, tenure: null, closed: false, telling: 'no', timer: null };
  const [told, cut] = [hearers(), hearers()];
  await connect(state, config, holder, { told: told.call, cut: cut.call });
  return {
    tell: () => tell(state, holder),
    onTold: told.add,
    onCut: cut.add,
    tenure: () => state.tenure,
    async close() {
      state.closed = true;
      if (state.timer !== null) clearTimeout(state.timer);
      await state.client?.end();
    },
  };
}

function hearers(): { readonly add: (listener: () => void) => void; readonly call: () => void } {
  const listeners: (() => void)[] = [];
  return {
    add: (listener) => void listeners.push(listener),
    call: () => {
      for (const listener of listeners) listener();
    },
  };
}

async function connect(state: State, config: ClientConfig, holder: number, hearing: Hearers): Promise<void> {
  const client = new Client(config);
  client.on('error', () => lost(state, client, config, holder, hearing));
  client.on('end', () => lost(state, client, config, holder, hearing));
  client.on('notification', ({ payload }) => {
    if (payload !== String(holder)) hearing.told();
  });
  try {
    await client.connect();
    // Where the server has not noticed yet that our former connection is gone, that one has it, and so do we.
    const { rows } = await client.query(`select pg_try_advisory_lock(${HOLDERS}, ${holder}) as held`);
    state.tenure = client;
    if (rows[0]?.held !== true) await client.query(`select pg_advisory_lock(${HOLDERS}, ${holder})`);
    await client.query(`listen ${CHANNEL}`);
    // It stores nothing, so that telling others need not wait for the disk.
    await client.query('set synchronous_commit = off');
  } catch (error) {
    if (state.tenure === client) state.tenure = null;
    // Left open, it would hold the lock that the next try waits for.
    client.end().catch(() => {});
    throw error;
  }
  if (state.closed) return client.end();
  state.client = client;
}

function lost(state: State, client: Client, config: ClientConfig, holder: number, hearing: Hearers): void {
  if (state.client !== client) return;
  state.client = null;
  state.tenure = null;
  hearing.cut();
  client.end().catch(() => {});
  again(state, 0, () => connect(state, config, holder, hearing).then(hearing.told));
}

function again(state: State, waitMs: number, reconnect: () => Promise<void>): void {
  if (state.closed) return;
  state.timer = setTimeout(() => {
    reconnect().catch(() => again(state, RECONNECT_MS, reconnect));
  }, waitMs);
}

function tellMore(state: State, holder: number): void {
  const more = state.telling === 'more';
  state.telling = 'no';
  if (more && !state.closed) tell(state, holder);
}

/**
 * At most one message is on its way, and one follows a moment later for what was stored meanwhile: whoever hears it
 * looks at everything.
 */
function tell(state: State, holder: number): void {
  if (state.telling !== 'no') {
    state.telling = 'more';
    return;
  }
  if (state.client === null) return;
  state.telling = 'yes';
  state.client
    .query('select pg_notify($1, $2)', [CHANNEL, String(holder)])
    .catch(() => {})
    .finally(() => setTimeout(() => tellMore(state, holder), TELL_MS).unref());
}
