import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { isRecord } from '../trust.ts';

/** EIO as WebAssembly programs know it; the database stops rather than believe in a write that may be lost. */
const WASI_EIO = 29;

/**
 * PGlite's directory on disk, with a working `fsync`. As shipped, PGlite's files have none and its database is started
 * with syncing off, so a commit survives a killed process but not a power cut; a 2xx promises both.
 */
export class DurableFiles extends NodeFS {
  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...given);
    const first = (files: { readonly NODEFS: unknown }): void => addSync(files.NODEFS);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [first, ...(emscriptenOpts.preRun ?? [])] } };
  }
}

/** PGlite's own start parameters without the one that turns syncing off, and with a way to sync that `DurableFiles` has. */
export function durableStart(): string[] {
  const kept = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  return [...kept, '-c', 'wal_sync_method=fsync'];
}

function addSync(files: unknown): void {
  if (!isRecord(files) || !isRecord(files['stream_ops'])) throw new Error('PGlite’s file layer has changed');
  Object.assign(files['stream_ops'], { fsync: syncStream });
}

function syncStream(stream: unknown): number {
  const descriptor = isRecord(stream) ? stream['nfd'] : null;
  if (typeof descriptor !== 'number') return WASI_EIO;
  try {
    fsyncSync(descriptor);
    return 0;
  } catch {
    return WASI_EIO;
  }
}

/** Syncs every file and directory below `root`: what made a new database's files did not. */
export function syncTree(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name));
  }
  syncPath(root);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
