import type { Language } from '../../lib/texts/languages.ts';
import { say, type Text } from '../../lib/texts/translate.ts';

/** By suffix of the model name; the first match wins. */
const phrases: readonly (readonly [ending: string, phrase: Text])[] = [
  ['binding', 'the binding {name}'],
  ['policy', 'the policy {name}'],
  ['stage', 'the stage {name}'],
  ['provider', 'the provider {name}'],
  ['serviceconnection', 'the service connection {name}'],
  ['sourceconnection', 'the connected account {name}'],
  ['source', 'the source {name}'],
  ['mapping', 'the property mapping {name}'],
  ['permission', 'the permission {name}'],
  ['session', 'the session {name}'],
  ['token', 'the token {name}'],
  ['device', 'the device {name}'],
  ['consent', 'the consent {name}'],
  ['user', 'the user {name}'],
  ['group', 'the group {name}'],
  ['role', 'the role {name}'],
  ['application', 'the application {name}'],
  ['flow', 'the flow {name}'],
  ['prompt', 'the prompt {name}'],
  ['invitation', 'the invitation {name}'],
  ['brand', 'the brand {name}'],
  ['certificatekeypair', 'the certificate {name}'],
  ['notification', 'the notification {name}'],
  ['rule', 'the rule {name}'],
  ['transport', 'the transport {name}'],
];

/** “the application Grafana”, as the object of a sentence. */
export function objectPhrase(language: Language, model: string, name: string): string {
  const phrase = phrases.find(([ending]) => model.endsWith(ending))?.[1];
  return say(language, phrase ?? 'the object {name}', { name });
}
