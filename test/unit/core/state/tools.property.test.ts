import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCall } from '../../../../src/core/agent/tools/parse-call.ts';
import { TOOL_NAMES, type ToolName, toolDefinitions } from '../../../../src/core/state/tools.ts';
import { isRecord } from '../../../../src/lib/trust.ts';

type Schema = Readonly<Record<string, unknown>>;

type Arguments = Readonly<Record<string, unknown>>;

const SCHEMAS = new Map(toolDefinitions().map(({ name, parameters }) => [name, parameters]));

function schemaOf(name: ToolName): Schema {
  return SCHEMAS.get(name) ?? {};
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Values that fit a node of a JSON schema as the tools' schemas use it. */
function fitting(node: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(node['enum'])) return fc.constantFrom<unknown>(...node['enum']);
  switch (node['type']) {
    case 'string':
      return fc.string({
        unit: 'grapheme',
        minLength: numberOf(node['minLength'], 0),
        maxLength: Math.min(20, numberOf(node['maxLength'], 20)),
      });
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: numberOf(node['minimum'], 0), max: Math.min(1_000_000, numberOf(node['maximum'], 9)) });
    case 'array': {
      const [min, max] = [numberOf(node['minItems'], 0), numberOf(node['maxItems'], 25)];
      return fc.array(fitting(asSchema(node['items'])), { minLength: min, maxLength: Math.min(max, min + 3) });
    }
    case 'object': {
      const required = Array.isArray(node['required']) ? node['required'].map(String) : [];
      const members = Object.entries(asSchema(node['properties'])).map(
        ([key, one]) => [key, fitting(asSchema(one))] as const,
      );
      const [always, perhaps] = [true, false].map((isRequired) =>
        Object.fromEntries(members.filter(([key]) => required.includes(key) === isRequired)),
      );
      return fc
        .tuple(fc.record(always ?? {}), fc.record(perhaps ?? {}, { requiredKeys: [] }))
        .map(([own, more]) => ({ ...own, ...more }));
    }
    default:
      throw new Error(`The schema of a tool uses ${JSON.stringify(node)}, which this test does not know.`);
  }
}

/** Rules between members, which the descriptions state: many endpoints know no alternatives in a schema. */
const RULES: Partial<Record<ToolName, (args: Arguments) => boolean>> = {
  edit_file: ({ old_string, new_string, replace_all, edits }) =>
    edits === undefined
      ? old_string !== undefined && new_string !== undefined
      : old_string === undefined && new_string === undefined && replace_all !== true,
  change_files: ({ changes }) => Array.isArray(changes) && changes.every((one) => isWhole(asSchema(one))),
};

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  edit: ['path', 'old_string', 'new_string'],
  write: ['path', 'content'],
  delete: ['path'],
  move: ['from', 'to'],
};

/** Whether a change of `change_files` has exactly the members of its operation. */
function isWhole({ op, replace_all, ...members }: Schema): boolean {
  const wanted = MEMBERS[String(op)] ?? [];
  const isExact = wanted.every((key) => key in members) && Object.keys(members).every((key) => wanted.includes(key));
  return isExact && (replace_all !== true || op === 'edit');
}

function isTaken(name: ToolName, args: unknown): boolean {
  return parseCall({ name, arguments: JSON.stringify(args) }).kind === 'call';
}

describe.each(TOOL_NAMES)('the schema of %s', (name) => {
  const validate = new Ajv({ strict: false }).compile(schemaOf(name));
  const obeysRules = (args: unknown): boolean => RULES[name]?.(asSchema(args)) ?? true;

  it('R45: allows what the product takes, but for the rules between members', () => {
    fc.assert(
      fc.property(fitting(schemaOf(name)), (args) => {
        expect(validate(args), JSON.stringify(validate.errors)).toBe(true);
        expect(isTaken(name, args)).toBe(obeysRules(args));
      }),
      { numRuns: 200 },
    );
  });

  it('R45: forbids what the product refuses, and nothing else', () => {
    const keys = ['unknown', ...Object.keys(asSchema(schemaOf(name)['properties']))];
    // Numbers and booleans as text, and null, are taken although no schema says so.
    const values = fc.constantFrom<unknown>(-1, 1.5, 0, 1_000_001, '', 'x'.repeat(501), [], ['x'], {}, [{}], undefined);
    fc.assert(
      fc.property(fitting(schemaOf(name)), fc.constantFrom(...keys), values, (args, key, value) => {
        const changed: unknown = JSON.parse(JSON.stringify({ ...asSchema(args), [key]: value }));
        expect(isTaken(name, changed)).toBe(validate(changed) && obeysRules(changed));
      }),
      { numRuns: 300 },
    );
  });
});
