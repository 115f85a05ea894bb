import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { renderOperatorSchema, renderSettingsSchema, replaceSettingsTable } from '../../scripts/docs/settings.ts';
import { parseOperatorFile } from '../../src/core/settings/operator-file.ts';
import { parseSettings } from '../../src/core/settings/repo-settings.ts';
import { SettingsFileSchema } from '../../src/core/settings/settings-schema.ts';
import { parseJson } from '../../src/lib/trust.ts';

const root = new URL('../../', import.meta.url);

function file(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

describe('the documentation of the settings', () => {
  it('equals the output of npm run docs, and names every key', () => {
    const page = file('docs/configuration.md');
    expect(replaceSettingsTable(page)).toBe(page);
    for (const key of Object.keys(SettingsFileSchema.shape)) expect(page).toContain(`| \`${key}\` |`);
  });

  it('the published JSON schema is current, ships with the package, and refuses what the parser refuses (S127)', () => {
    expect(file('docs/countersign.schema.json')).toBe(renderSettingsSchema());
    expect(file('package.json')).toContain('"docs/countersign.schema.json"');
    const validate = new Ajv({ strict: false }).compile(schemaIn(renderSettingsSchema()));
    expect(validate({})).toBe(true);
    expect(validate({ approvers: 'maintain', required_approvals: 2, limits: {}, rules: [] })).toBe(true);
    const rule = { tools: ['read_file'], paths: ['a'], decide: 'deny' };
    expect(validate({ rules: [rule], protected_paths: ['src/**'] })).toBe(true);
    expect(validate({ limits: { turns: 3, proposals_per_turn: 30 }, model: 'small' })).toBe(true);
    expect(validate({ approvers: 'codeowners', require: [{ paths: ['pay/**'], approvals: 2 }] })).toBe(true);
    const refused = [
      { approvers: 'writers' },
      { required_aprovals: 2 },
      { limits: { turn: 3 } },
      { limits: { proposals_per_turn: 31 } },
      { protected_paths: ['src/auth/'] },
      { require: [{ paths: ['pay/**'] }] },
    ];
    for (const one of refused) {
      expect(validate(one)).toBe(false);
      expect(parseSettings({ kind: 'file', bytes: Buffer.from(JSON.stringify(one)) }).kind).toBe('broken');
    }
  });
});

describe('the JSON schema of the operator’s file', () => {
  it('is current, ships with the package, and agrees with the reader (S127)', () => {
    expect(file('docs/countersign-operator.schema.json')).toBe(renderOperatorSchema());
    expect(file('package.json')).toContain('"docs/countersign-operator.schema.json"');
    const validate = new Ajv({ strict: false }).compile(schemaIn(renderOperatorSchema()));
    const files = [
      {},
      { commands: 'prefixed', ceilings: { required_approvals: 2, approvers: 'maintain' }, models: ['a'] },
      { prices: { a: { input: 1, cached_input: 0.1, output: 2 } } },
      { ceilings: { limits: { turns: 5 } } },
      { limits: { turns: 5 }, model: 'a' },
      { ceilings: { approvers: 'codeowners' } },
      { prices: { a: { input: 1 } } },
      { prices: { a: { input: -1, output: 1 } } },
      { ceilings: { required_approvals: 0 } },
      { ceilings: { commands: 'short' } },
      { models: 'a' },
      { ceiling: {} },
    ];
    const readable = files.map(
      (one) => parseOperatorFile({ kind: 'file', bytes: Buffer.from(JSON.stringify(one)) }, null).kind === 'values',
    );
    expect(readable).toEqual([...Array(6).fill(true), ...Array(6).fill(false)]);
    expect(files.map((one) => validate(one))).toEqual(readable);
  });

  it('shows no default for a bound, because one that is not set bounds nothing (S127)', () => {
    const { properties } = Object(schemaIn(renderOperatorSchema()));
    expect(JSON.stringify(properties.limits)).toContain('"default"');
    expect(JSON.stringify(properties.ceilings)).not.toContain('"default"');
  });
});

function schemaIn(text: string): object {
  const { $schema: _, ...schema } = Object(parseJson(text));
  return schema;
}
