import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  holdOperatorSettings,
  listOperatorWarnings,
  loadOperatorConfig,
} from '../../../../src/app/config/operator-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
const path = join(folder, 'countersign.yml');
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string) {
  writeFileSync(path, text);
  const loaded = loadOperatorConfig(path, 'large');
  if (loaded.kind === 'problems') throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

describe('CONFIG_FILE', () => {
  it('with a price of a model that no run can have is warned of, at the start and when it is read again (S171)', () => {
    const config = load('models: [small]\nprices: {large: {input: 1, output: 2}, smal: {input: 1, output: 2}}\n');
    const warning = `CONFIG_FILE ${path}: prices has "smal", but only "large" and "small" can be used: correct the name, add it to models, or remove its price.`;
    expect(listOperatorWarnings(config)).toEqual([warning]);
    const warned: object[] = [];
    const held = holdOperatorSettings(config, {
      info: () => {},
      warn: (fields: object) => void warned.push(fields),
      error: () => {},
    });
    held.reload();
    expect(warned).toEqual([{ warning }]);
    expect(listOperatorWarnings(load('prices: {large: {input: 1, output: 2}}\n'))).toEqual([]);
  });

  it('that is broken when it is read again keeps the previous settings, with one error in the log (S127)', () => {
    const logged: unknown[] = [];
    const keep = (fields: object, message?: string) => void logged.push([message, fields]);
    const held = holdOperatorSettings(load('ceilings: {required_approvals: 2}\n'), {
      info: keep,
      warn: keep,
      error: keep,
    });
    const before = held.current();
    writeFileSync(path, 'ceilings: {required_approvals: two}\nexpiry: never\n');
    held.reload();
    expect(held.current()).toBe(before);
    expect(logged).toEqual([
      [
        'CONFIG_FILE is broken, the previous settings stay in force',
        { problems: [expect.stringContaining('line 1: '), expect.stringContaining('line 2: ')] },
      ],
    ]);
    rmSync(path);
    held.reload();
    expect(held.current()).toBe(before);
    // An editor or a copy empties the file before it writes it.
    writeFileSync(path, '');
    held.reload();
    expect(held.current()).toBe(before);
    expect(logged.pop()).toMatchObject([
      'CONFIG_FILE is broken, the previous settings stay in force',
      { problems: [expect.stringContaining('line 1: the file is empty')] },
    ]);
    writeFileSync(path, 'ceilings: {required_approvals: 3}\nmodels: [small]\nmodel: tiny\n');
    held.reload();
    expect(logged.pop()).toMatchObject([
      'CONFIG_FILE is broken, the previous settings stay in force',
      {
        problems: [expect.stringContaining('line 3: model must be one that the operator allows ("large" and "small")')],
      },
    ]);
    writeFileSync(path, 'ceilings: {required_approvals: 3}\nmodels: [small]\nstanding_approvals: off\n');
    held.reload();
    expect(held.current().ceilings).toEqual(new Map([['required_approvals', 3]]));
    const changed = ['ceilings.required_approvals', 'models', 'standing_approvals'];
    expect(logged.slice(2)).toEqual([['CONFIG_FILE was read again', { path, changed }]]);
  });
});
