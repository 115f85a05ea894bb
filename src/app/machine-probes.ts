import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import type { Environment } from './config/env.ts';
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
