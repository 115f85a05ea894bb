import { z } from 'zod';
import { OperatorFileSchema, SettingsFileSchema } from '../../src/core/settings/settings-schema.ts';

/** The JSON schema of `.github/countersign.yml` for editors. */
export function renderSettingsSchema(): string {
  const schema = z.toJSONSchema(SettingsFileSchema, { io: 'input' });
  return renderSchema(schema, editorProperties(propertiesOf(schema)), 'Settings of Countersign in a repository');
}

/** The JSON schema of the operator's `CONFIG_FILE` for editors. */
export function renderOperatorSchema(): string {
  const schema = z.toJSONSchema(OperatorFileSchema, { io: 'input' });
  const { ceilings = {}, ...own } = propertiesOf(schema);
  const bounds = editorProperties(withoutDefaults(propertiesOf(ceilings)));
  const properties = { ...editorProperties(own), ceilings: { ...ceilings, properties: bounds } };
  return renderSchema(schema, properties, 'Defaults and bounds of the operator of Countersign');
}

function renderSchema(schema: JsonSchemaProperty, properties: Readonly<Record<string, object>>, title: string): string {
  return `${JSON.stringify({ ...schema, properties, title }, null, 2)}\n`;
}

/** A bound that is not set is none, also within a group. */
function withoutDefaults(
  properties: Readonly<Record<string, JsonSchemaProperty>>,
): Readonly<Record<string, JsonSchemaProperty>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { default: _, ...property }]) => {
      const members = propertiesOf(property);
      const isGroup = Object.keys(members).length > 0;
      return [name, isGroup ? { ...property, properties: withoutDefaults(members) } : property] as const;
    }),
  );
}

function editorProperties(properties: Readonly<Record<string, JsonSchemaProperty>>): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...property, description: describeSetting(property) },
    ]),
  );
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
  const defaults = below.length === 0 ? formatDefault(property) : formatGroupDefaults(property);
  return `| \`${name}\` | ${values} | ${defaults} | ${describeSetting(property)} |`;
}

/** The defaults of a group's keys; a key that is left out has none. */
function formatGroupDefaults(group: JsonSchemaProperty): string {
  const set = Object.entries(propertiesOf(group)).filter(([, member]) => member.default !== undefined);
  return set.map(([key, member]) => `\`${key}\`: ${formatDefault(member)}`).join('; ');
}

function describeSetting({ description = '' }: JsonSchemaProperty): string {
  return `${description}.`;
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
