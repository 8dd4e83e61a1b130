interface Question {
  readonly site_key: string;
  /** Whether the person has to interact with it. */
  readonly interactive: boolean;
  solved(token: string): void;
}

interface CaptchaService {
  show(place: HTMLElement, question: Question): void;
}

/** The global that the service's script defines; all three services share this interface. */
interface Widget {
  ready?(work: () => void): void;
  render(place: HTMLElement, options: Record<string, unknown>): unknown;
  execute?(id?: unknown): unknown;
}

const globals = ['turnstile', 'hcaptcha', 'grecaptcha'] as const;
const patienceMs = 15_000;
const askEveryMs = 50;

/** Loads a captcha service's script, and identifies the service by the global that it defines. */
export async function captchaService(url: string): Promise<CaptchaService> {
  await loadScript(url);
  const widget = await widgetOf();
  return {
    show(place, { site_key, interactive, solved }) {
      // An element that held a widget cannot hold a second one.
      const box = document.createElement('div');
      place.replaceChildren(box);
      const size = interactive ? 'normal' : 'invisible';
      const id = widget.render(box, { sitekey: site_key, callback: solved, size });
      if (!interactive) widget.execute?.(id);
    },
  };
}

async function widgetOf(): Promise<Widget> {
  for (let waited = 0; waited < patienceMs; waited += askEveryMs) {
    const found = globals
      .map((name) => (globalThis as unknown as Record<string, Widget | undefined>)[name])
      .find((widget) => typeof widget?.render === 'function');
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
  throw new Error('the script brought no captcha that is known here');
}

function loadScript(url: string): Promise<void> {
  if (document.querySelector(`script[src="${CSS.escape(url)}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('the script could not be loaded'));
    document.head.append(script);
  });
}
