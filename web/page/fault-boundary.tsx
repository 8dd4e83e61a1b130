import { Component, type ReactNode } from 'react';
import { Button } from '../elements/button.tsx';
import { t } from '../texts/texts.ts';

interface State {
  readonly hasFailed: boolean;
}

/** What is left of a page that broke: words and a way on, never a blank window. A new version on the server looks like this too. */
export class FaultBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className="fault" role="alert">
        <h1>{t('This page could not be shown')}</h1>
        <p>{t('It may have been updated on the server in the meantime. Loading it again usually helps.')}</p>
        <Button onClick={() => location.reload()}>{t('Load again')}</Button>
      </main>
    );
  }
}
