import { z } from 'zod';
import { NOT_YET, SettingsFile, type SettingsKey } from './keys.ts';

/** What editors check `.github/countersign.yml` with: every key, what it may be, and its default. */
export function settingsSchema(): string {
  const schema = z.toJSONSchema(SettingsFile, { io: 'input' });
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, property]) => [name, editorsView(name, property)]),
  );
  return `${JSON.stringify({ ...schema, properties, title: 'Settings of Countersign in a repository' }, null, 2)}\n`;
}

/** A key as an editor is told of it: what this version refuses is refused there too. */
function editorsView(name: string, property: Property): object {
  const refused = Object.entries(NOT_YET).find(([key]) => key === name)?.[1].schema;
  return { ...property, description: meaningOf(name, property), ...refused };
}

/** Keys whose values are checked, and that nothing reads in this version. */
const WITHOUT_EFFECT: ReadonlySet<SettingsKey> = new Set<SettingsKey>([
  'model',
  'standing_approvals',
  'commit_message',
  'sign_off',
  'context_files',
]);

const BEGIN = '<!-- settings: written by npm run docs -->';
const END = '<!-- end of settings -->';

/** The documentation with its table of settings written anew. Throws where the place for it is missing. */
export function withSettingsTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('The page has no place for the table of settings');
  return `${before}${BEGIN}\n${settingsTable()}\n${END}${after}`;
}

function settingsTable(): string {
  const rows = Object.entries(propertiesOf(z.toJSONSchema(SettingsFile, { io: 'input' }))).map(([name, given]) =>
    rowOf(name, given),
  );
  return ['| key | values | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

type Property = z.core.JSONSchema.BaseSchema;

function propertiesOf(schema: Property): Readonly<Record<string, Property>> {
  const properties = schema.properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => (typeof value === 'object' ? [[name, value]] : [])),
  );
}

function rowOf(name: string, property: Property): string {
  const below = Object.entries(propertiesOf(property)).map(([key, value]) => `\`${key}\`: ${valuesOf(value)}`);
  const values = below.length === 0 ? valuesOf(property) : below.join('; ');
  return `| \`${name}\` | ${values} | ${defaultOf(property)} | ${meaningOf(name, property)} |`;
}

function meaningOf(name: string, { description = '' }: Property): string {
  return `${description}.${noteOn(name)}`;
}

function valuesOf(property: Property): string {
  if (property.enum !== undefined) return property.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (property.type === 'integer') return `${property.minimum} to ${property.maximum}`;
  if (property.type === 'boolean') return '`true`, `false`';
  return property.type === 'array' ? 'list' : String(property.type);
}

function defaultOf({ default: value }: Property): string {
  return value === undefined ? 'none' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function noteOn(name: string): string {
  if (name === 'approvers') return ' `codeowners` is refused in this version.';
  if (Object.hasOwn(NOT_YET, name)) return ' Refused in this version, so that nobody relies on it.';
  return [...WITHOUT_EFFECT].some((key) => key === name) ? ' Checked, but without effect in this version.' : '';
}
