package guest

import (
	"context"
	"io"

	"praxis/internal/guest/wire"
)

// NoteLayer takes note of how the root file system is, so that [Client.Layer] tells what
// changes after it. The session was set up to make an image.
func (c *Client) NoteLayer(ctx context.Context) error {
	_, err := c.download(ctx, "look at files", wire.OpLayer, wire.Layer{Note: true}, io.Discard)
	return err
}

// Layer writes what changed in the root file system since the last call as the layer of
// an image, and ends every program that was started. The archive is the guest's: nothing
// of it can be trusted.
func (c *Client) Layer(ctx context.Context, w io.Writer) error {
	_, err := c.download(ctx, "make layer", wire.OpLayer, wire.Layer{}, w)
	return err
}
