import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { DatabaseError } from '../adapters/store/engine/errors.ts';
import {
  type DatabaseFacts,
  type DirectoryState,
  describeDirectory,
  describeServer,
} from '../adapters/store/engine/inspect.ts';
import type { Store } from '../adapters/store/store.ts';
import { type Model, ModelError } from '../core/step/model-port.ts';
import type { Config, Environment } from './config/env.ts';
import { endpointHost, type FailureLogOptions, FIXES } from './observed-requests.ts';
import type { Finding, Probe } from './probes.ts';

/** The free space and memory of this machine, in megabytes. */
export type MachineRoom = { readonly diskMb: number | null; readonly memoryMb: number };

/** `dataDir` is the directory of an embedded database; null where the server writes no files. */
export function readMachineRoom(dataDir: string | null): MachineRoom {
  const memoryMb = Math.round(process.availableMemory() / 1e6);
  if (dataDir === null) return { diskMb: null, memoryMb };
  const { bavail, bsize } = statfsSync(existingParent(resolve(dataDir)));
  return { diskMb: Math.round((bavail * bsize) / 1e6), memoryMb };
}

function existingParent(path: string): string {
  return existsSync(path) ? path : existingParent(dirname(path));
}

/** A new embedded database needs 40 MB. */
const MIN_DISK_MB = 100;

const LITTLE_DISK_MB = 1_000;

/** What a server with an embedded database takes. */
const LITTLE_MEMORY_MB = 400;

/** Looks at the room that is left for data and memory. */
export function createRoomProbe(readRoom: () => MachineRoom): Probe {
  return {
    name: 'the machine',
    async run() {
      const { diskMb, memoryMb } = readRoom();
      const isFull = diskMb !== null && diskMb < MIN_DISK_MB;
      const findings: readonly (Finding | false)[] = [
        diskMb !== null &&
          diskMb < LITTLE_DISK_MB && {
            ...{ level: isFull ? 'wrong' : 'less', message: 'the disk of DATA_DIR is nearly full', diskMb },
            fix: 'Make room on it. Nothing that was acknowledged is lost, but new events wait.',
          },
        memoryMb < LITTLE_MEMORY_MB && {
          ...{ level: 'less', message: 'little memory is left', memoryMb },
          fix: 'Give the server 512 MB, or keep its data in a PostgreSQL server (DATABASE_URL).',
        },
      ];
      const wrong = findings.filter((finding) => finding !== false);
      return wrong.length > 0 ? wrong : [{ level: 'ok', message: 'the machine has room', fix: null }];
    },
  };
}

export const CLOCK_FIX = 'Set the clock of this machine, best by NTP: GitHub refuses keys from the future or the past.';

/** GitHub's `Date` has whole seconds, and an answer takes a while. */
const MAX_CLOCK_DIFFERENCE_MS = 30_000;

type ClockProbeOptions = { readonly fetchTime: () => Promise<number | null>; readonly now: () => number };

/** Compares this machine's clock with GitHub's. */
export function createClockProbe({ fetchTime, now }: ClockProbeOptions): Probe {
  return {
    name: 'the clock',
    async run() {
      const time = await fetchTime();
      const difference = time === null ? 0 : now() - time;
      if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS)
        return [{ level: 'ok', message: 'the clock agrees with GitHub’s', fix: null }];
      const seconds = Math.round(difference / 1_000);
      return [{ level: 'less', message: 'the clock differs from GitHub’s', seconds, fix: CLOCK_FIX }];
    },
  };
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/** Node sends nothing through a proxy unless it is told to. */
export function createProxyProbe(environment: Environment): Probe {
  return {
    name: 'the proxy',
    async run() {
      const variable = PROXY_VARIABLES.find((name) => (environment[name] ?? '') !== '');
      if (variable === undefined) return [];
      if (environment['NODE_USE_ENV_PROXY'] === '1')
        return [{ level: 'ok', message: 'requests go through the proxy', variable, fix: null }];
      const fix = 'Set NODE_USE_ENV_PROXY=1 if GitHub and the model are reached through it only.';
      return [{ level: 'less', message: 'the proxy is not used', variable, fix }];
    },
  };
}

const DATABASE = 'the database';

/** The database of a running server, into which a delivery must fit. */
export function createStoreProbe(store: Pick<Store, 'describe'>, checkStorage: () => Promise<void>): Probe {
  return {
    name: DATABASE,
    async run() {
      await checkStorage();
      return databaseFindings(await store.describe());
    },
  };
}

/** The configured database, of which this process knows nothing yet. A running server may use it. */
export function createDatabaseProbe({ url, dataDir }: Config['database']): Probe {
  return {
    name: DATABASE,
    async run() {
      try {
        if (url !== null) return databaseFindings(await describeServer(url));
        return [{ level: 'ok', message: DIRECTORY_MESSAGES[describeDirectory(dataDir)], fix: null, dataDir }];
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        return [{ level: 'wrong', message: 'the database cannot be used', fix: error.message }];
      }
    },
  };
}

const DIRECTORY_MESSAGES: Readonly<Record<DirectoryState, string>> = {
  none: 'the first start makes the embedded database',
  'in-use': 'a running server has the embedded database',
  free: 'the embedded database is there',
};

/** Exported for tests. */
export function databaseFindings(facts: DatabaseFacts): readonly Finding[] {
  const { server, schema, isReadOnly, canMigrate, lockedTables, sharesConnections } = facts;
  const isOlder = schema !== null && schema.version < schema.newest;
  const findings: readonly (Finding | false)[] = [
    isReadOnly && {
      ...{ level: 'wrong', message: 'the database is read-only', server },
      fix: 'Use the address of the primary server, and a role without default_transaction_read_only.',
    },
    lockedTables.length > 0 && {
      ...{ level: 'wrong', message: 'the role of the database lacks rights', tables: lockedTables },
      fix: 'Let the role own the database and its tables.',
    },
    schema !== null &&
      schema.version > schema.newest && {
        ...{ level: 'wrong', message: 'the database belongs to a newer version', schema: schema.version },
        fix: 'Run that version again, or restore the backup made before it first ran.',
      },
    !canMigrate && {
      ...{ level: isOlder ? 'wrong' : 'less', message: 'the role cannot create tables', server },
      fix: 'Let the role own the database: an upgrade of Countersign cannot migrate it otherwise.',
    },
    sharesConnections && {
      ...{ level: 'wrong', message: 'a pooler shares connections between transactions', server },
      fix: 'Connect directly, or through a pooler in session mode: the settings of each session are lost otherwise.',
    },
  ];
  const wrong = findings.filter((finding) => finding !== false);
  const known = schema === null ? {} : { schema: schema.version };
  return wrong.length > 0 ? wrong : [{ level: 'ok', message: 'the database can be used', fix: null, server, ...known }];
}

/** The only tool of the check. A model or server that takes no tools refuses it. */
export const CHECK_TOOL = {
  name: 'ready',
  description: 'Tell that you are ready.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
} as const;

/** The first two words tell a check from a task for those who count the endpoint's requests. */
const CHECK_MESSAGE = 'Countersign check: call the tool ready, or answer with one word.';

type ModelProbeOptions = Pick<FailureLogOptions, 'modelUp' | 'model' | 'baseUrl'> & {
  /** The endpoint with the check's tool alone. */
  readonly checked: Pick<Model, 'ask'>;
};

/** Asks the model one tiny question with one tool, as a run would ask. */
export function createModelProbe({ checked, modelUp, model, baseUrl }: ModelProbeOptions): Probe {
  const endpoint = endpointHost(baseUrl);
  return {
    name: 'the model',
    async run(stopping) {
      try {
        await checked.ask([{ role: 'user', content: CHECK_MESSAGE }], stopping, 'check', null);
        modelUp.set(1);
        return [{ level: 'ok', message: 'the model answers', fix: null, endpoint, model }];
      } catch (error) {
        if (!(error instanceof ModelError) || error.report === null) throw error;
        modelUp.set(0);
        const { failure, ...answer } = error.report;
        const finding: Finding = { level: 'wrong', message: 'the model cannot be used', fix: FIXES[failure] };
        return [{ ...finding, endpoint, model, failure, ...answer }];
      }
    },
  };
}
