import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';

/** The form of a value in words, and its check. */
export type FieldRule = readonly [string, (value: unknown) => boolean];

export type FieldRules = Readonly<Record<string, FieldRule>>;

/** The forms of arguments that both APIs have. */
export const FORMS = {
  text: ['a non-empty string', (value) => typeof value === 'string' && value !== ''],
  count: ['a positive whole number', (value) => Number.isInteger(value) && Number(value) > 0],
  temperature: ['a number from 0 to 2', (value) => typeof value === 'number' && value >= 0 && value <= 2],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  toolChoice: ['none, auto or required', (value) => ['none', 'auto', 'required'].includes(String(value))],
} as const satisfies FieldRules;

/** The unknown and invalid arguments of a request; those for tools need tools. */
export function checkFields(body: JsonObject, known: ReadonlySet<string>, rules: FieldRules): readonly string[] {
  const invalid = Object.entries({ model: undefined, ...body }).filter(
    ([name, value]) => rules[name]?.[1](value) === false,
  );
  return [
    ...Object.keys(body)
      .filter((name) => !known.has(name))
      .map((name) => `${name}: is not an argument this endpoint knows`),
    ...invalid.map(([name]) => `${name}: must be ${rules[name]?.[0]}`),
    ...(body['tool_choice'] !== undefined && body['tools'] === undefined
      ? ['tool_choice: is only allowed when tools are given']
      : []),
  ];
}

/** A form of an object with only this member. */
export function objectWith(name: string, isValid: (value: unknown) => boolean): FieldRule {
  return [
    `an object with ${name}`,
    (value) => isRecord(value) && isValid(value[name]) && Object.keys(value).length === 1,
  ];
}
