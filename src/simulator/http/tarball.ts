import { gzipSync } from 'node:zlib';
import type { FileMode } from '../git/file-mode.ts';

/** One file of the archive; a link's bytes are its target, a submodule becomes an empty directory. */
export type ArchivedFile = { readonly path: string; readonly mode: FileMode; readonly bytes: Uint8Array };

const BLOCK = 512;
const NAME_LENGTH = 100;

/** A gzipped ustar archive in which every path stands below `directory`; `mtime` is in seconds. */
export function tarball(directory: string, files: readonly ArchivedFile[], mtime: number): Uint8Array {
  const entries = files.flatMap((file) => entryBlocks(`${directory}/${file.path}`, file, mtime));
  const root = header(`${directory}/`, '5', '0000775', 0, mtime, '');
  return gzipSync(Buffer.concat([root, ...entries, Buffer.alloc(2 * BLOCK)]));
}

function entryBlocks(path: string, file: ArchivedFile, mtime: number): readonly Uint8Array[] {
  const extended = pathRecord(path, mtime);
  switch (file.mode) {
    case '040000':
      return [];
    case '160000':
      return [...extended, header(`${path}/`, '5', '0000775', 0, mtime, '')];
    case '120000':
      return [...extended, header(path, '2', '0000777', 0, mtime, Buffer.from(file.bytes).toString('utf8'))];
    case '100644':
    case '100755': {
      const mode = file.mode === '100755' ? '0000775' : '0000664';
      return [...extended, header(path, '0', mode, file.bytes.byteLength, mtime, ''), padded(file.bytes)];
    }
  }
}

/** A path too long for the plain header goes into a record of its own before the entry. */
function pathRecord(path: string, mtime: number): readonly Uint8Array[] {
  if (Buffer.byteLength(path) <= NAME_LENGTH) return [];
  const body = ` path=${path}\n`;
  let length = Buffer.byteLength(body) + 1;
  while (String(length).length + Buffer.byteLength(body) !== length) length += 1;
  const record = Buffer.from(`${length}${body}`);
  return [header('pax_header', 'x', '0000664', record.byteLength, mtime, ''), padded(record)];
}

function header(name: string, type: string, mode: string, size: number, mtime: number, link: string): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, NAME_LENGTH, 'utf8');
  block.write(`${mode}\0`, 100, 'ascii');
  block.write('0000000\0', 108, 'ascii');
  block.write('0000000\0', 116, 'ascii');
  block.write(`${octal(size, 11)}\0`, 124, 'ascii');
  block.write(`${octal(mtime, 11)}\0`, 136, 'ascii');
  block.write('        ', 148, 'ascii');
  block.write(type, 156, 'ascii');
  block.write(link, 157, NAME_LENGTH, 'utf8');
  block.write('ustar\x0000root', 257, 'ascii');
  block.write('root', 297, 'ascii');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'ascii');
  return block;
}

function octal(value: number, width: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(width, '0');
}

function padded(bytes: Uint8Array): Uint8Array {
  const block = Buffer.alloc(Math.ceil(bytes.byteLength / BLOCK) * BLOCK);
  block.set(bytes);
  return block;
}
