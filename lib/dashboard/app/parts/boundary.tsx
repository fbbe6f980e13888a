/** Keeps what goes wrong while a view is drawn inside of it: the menu stays, and the person is told. */
import { Component, type ComponentChildren } from 'preact'

export class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly error?: unknown }> {
  static override getDerivedStateFromError = (error: unknown): { readonly error: unknown } => ({ error })

  override render () {
    return this.state.error === undefined
      ? this.props.children
      : <p class='empty' role='alert'>This view cannot be shown: something in it was not as it should be. <button type='button' onClick={() => { location.reload() }}>Load the page again</button></p>
  }
}
