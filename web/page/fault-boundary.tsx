import { Component, type ReactNode } from 'react';
import { Button } from '../elements/button.tsx';
import { Notice } from '../elements/notice.tsx';
import { t } from '../texts/texts.ts';

interface State {
  readonly hasFailed: boolean;
}

interface Props {
  readonly children: ReactNode;
  /** Whether it stands around a part of a page: the rest of the page stays then. */
  readonly isPart?: boolean;
}

/** Shown when a page or a part of it throws, also when its scripts are gone after an upgrade of the server. */
export class FaultBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    if (this.props.isPart)
      return (
        <Notice tone="bad">
          <div className="row">
            <p className="rows-text">{t('This part could not be shown. Loading the page again usually helps.')}</p>
            <Button onClick={() => location.reload()}>{t('Load again')}</Button>
          </div>
        </Notice>
      );
    return (
      <main className="fault" role="alert">
        <h1>{t('This page could not be shown')}</h1>
        <p>{t('It may have been updated on the server in the meantime. Loading it again usually helps.')}</p>
        <Button onClick={() => location.reload()}>{t('Load again')}</Button>
      </main>
    );
  }
}
