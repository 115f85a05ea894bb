import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTarball } from '../../../../fakes/github/rest/archive.ts';

describe('tarball', () => {
  it('unpacks with the tar program: modes, links, long names, binary bytes', () => {
    const long = `${'directory/'.repeat(15)}${'n'.repeat(120)}.ts`;
    const binary = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    const bytes = createTarball(
      'ana-shop-abc',
      [
        { path: 'a.bin', mode: '100644', bytes: binary },
        { path: 'run.sh', mode: '100755', bytes: Buffer.from('#!/bin/sh\n') },
        { path: 'link', mode: '120000', bytes: Buffer.from('a.bin') },
        { path: 'vendor', mode: '160000', bytes: new Uint8Array() },
        { path: long, mode: '100644', bytes: Buffer.from('x') },
        { path: 'empty', mode: '100644', bytes: new Uint8Array() },
      ],
      1_700_000_000,
    );
    const directory = mkdtempSync(join(tmpdir(), 'tarball-'));
    try {
      execFileSync('tar', ['-xz', '-C', directory], { input: bytes });
      const root = join(directory, 'ana-shop-abc');
      expect(new Uint8Array(readFileSync(join(root, 'a.bin')))).toEqual(binary);
      expect(lstatSync(join(root, 'run.sh')).mode & 0o111).not.toBe(0);
      expect(lstatSync(join(root, 'a.bin')).mode & 0o111).toBe(0);
      expect(readlinkSync(join(root, 'link'))).toBe('a.bin');
      expect(readFileSync(join(root, long), 'utf8')).toBe('x');
      expect(lstatSync(join(root, 'vendor')).isDirectory()).toBe(true);
      expect(readFileSync(join(root, 'empty'))).toHaveLength(0);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
