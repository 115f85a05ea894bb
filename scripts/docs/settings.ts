import { z } from 'zod';
import {
  KEYS_WITHOUT_EFFECT,
  SettingsFileSchema,
  UNSUPPORTED_SETTINGS,
} from '../../src/core/settings/settings-schema.ts';

/** The JSON schema of `.github/countersign.yml` for editors. */
export function renderSettingsSchema(): string {
  const schema = z.toJSONSchema(SettingsFileSchema, { io: 'input' });
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, property]) => [name, editorProperty(name, property)]),
  );
  return `${JSON.stringify({ ...schema, properties, title: 'Settings of Countersign in a repository' }, null, 2)}\n`;
}

/** A key in the JSON schema, which also refuses the values that this version does not support. */
function editorProperty(name: string, property: JsonSchemaProperty): object {
  const unsupportedSchema = Object.entries(UNSUPPORTED_SETTINGS).find(([key]) => key === name)?.[1].schema;
  return { ...property, description: describeSetting(name, property), ...unsupportedSchema };
}

const TABLE_START = '<!-- settings: written by npm run docs -->';

const TABLE_END = '<!-- end of settings -->';

/** The page with its table of settings replaced. Throws if the page has no place for the table. */
export function replaceSettingsTable(page: string): string {
  const [before, rest] = page.split(TABLE_START);
  const after = rest?.split(TABLE_END)[1];
  if (before === undefined || after === undefined) throw new Error('The page has no place for the table of settings');
  return `${before}${TABLE_START}\n${renderSettingsTable()}\n${TABLE_END}${after}`;
}

function renderSettingsTable(): string {
  const rows = Object.entries(propertiesOf(z.toJSONSchema(SettingsFileSchema, { io: 'input' }))).map(
    ([name, property]) => formatRow(name, property),
  );
  return ['| key | values | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

type JsonSchemaProperty = z.core.JSONSchema.BaseSchema;

function propertiesOf(schema: JsonSchemaProperty): Readonly<Record<string, JsonSchemaProperty>> {
  const properties = schema.properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => (typeof value === 'object' ? [[name, value]] : [])),
  );
}

function formatRow(name: string, property: JsonSchemaProperty): string {
  const below = Object.entries(propertiesOf(property)).map(([key, value]) => `\`${key}\`: ${formatValues(value)}`);
  const values = below.length === 0 ? formatValues(property) : below.join('; ');
  return `| \`${name}\` | ${values} | ${formatDefault(property)} | ${describeSetting(name, property)} |`;
}

function describeSetting(name: string, { description = '' }: JsonSchemaProperty): string {
  return `${description}.${supportNote(name)}`;
}

function formatValues(property: JsonSchemaProperty): string {
  if (property.enum !== undefined) return property.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (property.type === 'integer') return `${property.minimum} to ${property.maximum}`;
  if (property.type === 'boolean') return '`true`, `false`';
  return property.type === 'array' ? 'list' : String(property.type);
}

function formatDefault({ default: value }: JsonSchemaProperty): string {
  return value === undefined ? 'none' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function supportNote(name: string): string {
  if (name === 'approvers') return ' `codeowners` is refused in this version.';
  if (Object.hasOwn(UNSUPPORTED_SETTINGS, name)) return ' Refused in this version, so that nobody relies on it.';
  return KEYS_WITHOUT_EFFECT.includes(name) ? ' Checked, but without effect in this version.' : '';
}
