import { Client, type ClientConfig } from 'pg';
import { LEASE_HOLDER_LOCKS } from './backend.ts';
import { applySettings, LISTENING_SETTINGS } from './session-settings.ts';

const CHANNEL = 'countersign_work';

/** Between attempts to reconnect; the first attempt is immediate. */
const RECONNECT_MS = 1_000;

/** Under load every group of deliveries would send a notification, which costs more than storing the group. */
const NOTIFY_INTERVAL_MS = 20;

/**
 * One connection for the life of the process. It holds the advisory lock that keeps our leases valid, and listens for
 * notifications. While it reconnects, other processes can take our leases, so this process claims nothing. Writes to
 * the database are fenced; only a request already on its way to GitHub can happen twice.
 */
type NotificationConnection = {
  notify(): void;
  onNotified(listener: () => void): void;
  /** Calls back whenever the connection breaks. */
  onDisconnect(listener: () => void): void;
  /** The connection that holds the lock; null while reconnecting. */
  connectionEpoch(): object | null;
  close(): Promise<void>;
};

type ConnectionState = {
  client: Client | null;
  /** The connection that has held the lock without a break. */
  connectionEpoch: Client | null;
  closed: boolean;
  timer: NodeJS.Timeout | null;
  /** `yes`: a notification was sent within `NOTIFY_INTERVAL_MS`; `more`: another one is needed after that. */
  notifying: 'no' | 'yes' | 'more';
};

type ConnectionListeners = { readonly notified: () => void; readonly disconnected: () => void };

/** Throws if the first attempt to connect fails. */
export async function openNotificationConnection(
  config: ClientConfig,
  leaseHolderId: number,
): Promise<NotificationConnection> {
  const state: ConnectionState = { client: null, connectionEpoch: null, closed: false, notifying: 'no', timer: null };
  const [notified, disconnected] = [createListeners(), createListeners()];
  await connect(state, config, leaseHolderId, { notified: notified.call, disconnected: disconnected.call });
  return {
    notify: () => notify(state, leaseHolderId),
    onNotified: notified.add,
    onDisconnect: disconnected.add,
    connectionEpoch: () => state.connectionEpoch,
    async close() {
      state.closed = true;
      if (state.timer !== null) clearTimeout(state.timer);
      await state.client?.end();
    },
  };
}

function createListeners(): { readonly add: (listener: () => void) => void; readonly call: () => void } {
  const listeners: (() => void)[] = [];
  return {
    add: (listener) => void listeners.push(listener),
    call: () => {
      for (const listener of listeners) listener();
    },
  };
}

async function connect(
  state: ConnectionState,
  config: ClientConfig,
  leaseHolderId: number,
  listeners: ConnectionListeners,
): Promise<void> {
  const client = new Client(config);
  client.on('error', () => onConnectionLost(state, client, config, leaseHolderId, listeners));
  client.on('end', () => onConnectionLost(state, client, config, leaseHolderId, listeners));
  client.on('notification', ({ payload }) => {
    if (payload !== String(leaseHolderId)) listeners.notified();
  });
  try {
    await client.connect();
    await applySettings(client, LISTENING_SETTINGS);
    // If the server still holds our broken connection, that connection has the lock, and our leases stay valid.
    const { rows } = await client.query(`select pg_try_advisory_lock(${LEASE_HOLDER_LOCKS}, ${leaseHolderId}) as held`);
    state.connectionEpoch = client;
    if (rows[0]?.held !== true) await client.query(`select pg_advisory_lock(${LEASE_HOLDER_LOCKS}, ${leaseHolderId})`);
    await client.query(`listen ${CHANNEL}`);
  } catch (error) {
    if (state.connectionEpoch === client) state.connectionEpoch = null;
    // An open connection would keep the lock that the next attempt waits for.
    client.end().catch(() => {});
    throw error;
  }
  if (state.closed) return client.end();
  state.client = client;
}

function onConnectionLost(
  state: ConnectionState,
  client: Client,
  config: ClientConfig,
  leaseHolderId: number,
  listeners: ConnectionListeners,
): void {
  if (state.client !== client) return;
  state.client = null;
  state.connectionEpoch = null;
  listeners.disconnected();
  client.end().catch(() => {});
  scheduleReconnect(state, 0, () => connect(state, config, leaseHolderId, listeners).then(listeners.notified));
}

function scheduleReconnect(state: ConnectionState, waitMs: number, reconnect: () => Promise<void>): void {
  if (state.closed) return;
  state.timer = setTimeout(() => {
    reconnect().catch(() => scheduleReconnect(state, RECONNECT_MS, reconnect));
  }, waitMs);
}

function notifyAgain(state: ConnectionState, leaseHolderId: number): void {
  const more = state.notifying === 'more';
  state.notifying = 'no';
  if (more && !state.closed) notify(state, leaseHolderId);
}

/** Sends at most one notification in each interval. Listeners look at all work, so one is enough. */
function notify(state: ConnectionState, leaseHolderId: number): void {
  if (state.notifying !== 'no') {
    state.notifying = 'more';
    return;
  }
  if (state.client === null) return;
  state.notifying = 'yes';
  state.client
    .query('select pg_notify($1, $2)', [CHANNEL, String(leaseHolderId)])
    .catch(() => {})
    .finally(() => setTimeout(() => notifyAgain(state, leaseHolderId), NOTIFY_INTERVAL_MS).unref());
}
