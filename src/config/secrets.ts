import type { Config } from './config.ts';

/** Every value that must never be written anywhere. */
export function secretsOf({ app, model }: Config): readonly string[] {
  return [app.privateKey, ...app.webhookSecrets, ...(model.apiKey === null ? [] : [model.apiKey])];
}
