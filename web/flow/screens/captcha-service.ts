interface Question {
  readonly site_key: string;
  /** Whether the person has to do something. */
  readonly interactive: boolean;
  solved(token: string): void;
}

export interface CaptchaService {
  show(place: HTMLElement, question: Question): void;
}

/** What the scripts of the known services put into the window: all three speak the same few words. */
interface Widget {
  ready?(work: () => void): void;
  render(place: HTMLElement, options: Record<string, unknown>): unknown;
  execute?(id?: unknown): unknown;
}

const globals = ['turnstile', 'hcaptcha', 'grecaptcha'] as const;
const patienceMs = 15_000;
const askEveryMs = 50;

/** Loads the script of a captcha service, and finds out by what it leaves behind which one it is. */
export async function captchaService(url: string): Promise<CaptchaService> {
  await loadScript(url);
  const widget = await widgetOf();
  return {
    show(place, { site_key, interactive, solved }) {
      // A place that a widget was put into cannot take a second one.
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
