import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isRecord } from '../../src/lib/trust.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const files = readdirSync(folder).map((name) => join(folder, name));
const validator = join(root, 'node_modules/.bin/action-validator');

describe('the workflows', () => {
  it('O24: are what GitHub reads as workflows', async () => {
    expect(files.length).toBe(2);
    for (const file of files) await promisify(execFile)(validator, [file]);
  });

  it('O24: have only the permissions that they name, and run actions by digest', () => {
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      const workflow: unknown = parse(text);
      expect(isRecord(workflow) && workflow['permissions']).toSatisfy((granted) =>
        Object.values(isRecord(granted) ? granted : { all: 'write' }).every((level) => level === 'read'),
      );
      const used = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
      expect(used.length).toBeGreaterThan(0);
      for (const action of used) expect(action).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/);
    }
  });

  it('O24: test with the commands of the README and of .ci/run', () => {
    const test = readFileSync(join(folder, 'test.yml'), 'utf8');
    for (const command of ['npm ci', 'npm run demo', 'npm test', '.ci/run'])
      expect(test).toContain(`run: ${command}\n`);
  });
});

describe('compose.yml', () => {
  it('O26: runs the App and its database, with time to finish its work, and no secret', () => {
    const compose: unknown = parse(readFileSync(join(root, 'compose.yml'), 'utf8'));
    expect(compose).toMatchObject({
      services: {
        countersign: {
          env_file: '.env',
          stop_grace_period: '30s',
          depends_on: { database: { condition: 'service_healthy' } },
        },
        database: { volumes: ['database:/var/lib/postgresql/data'] },
      },
      volumes: { database: null },
    });
  });
});
