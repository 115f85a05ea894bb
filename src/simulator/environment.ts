import type { ScriptedModel } from './model/scripted-model.ts';
import type { Simulator } from './simulator.ts';

/**
 * The variables that point the App at a simulated GitHub, and at a scripted model if there is one; it listens on any
 * free port.
 */
export function environmentFor({ app, url }: Simulator, model: ScriptedModel | null): Readonly<Record<string, string>> {
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKeyPem,
    WEBHOOK_SECRET: app.webhookSecret,
    GHE_HOST: new URL(url).host,
    GHE_PROTOCOL: 'http',
    PORT: '0',
    HOST: '127.0.0.1',
    ALLOWED_OWNERS: '*',
    ...(model === null
      ? {}
      : { OPENAI_MODEL: 'scripted', OPENAI_API_KEY: model.apiKey ?? '', OPENAI_BASE_URL: model.url }),
  };
}
