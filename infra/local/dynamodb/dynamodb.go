// Package dynamodb runs AWS's own DynamoDB Local as a child process, for the local
// runner and for tests. It fetches the server from Maven Central once, into a folder
// it is given, and creates the tables of the wiring.
//
// DynamoDB Local listens on every interface and has no switch for that; the port is
// picked at random by the system. It keeps nothing without a data folder.
package dynamodb

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/infra/local/port"
	"merve/infra/wiring"
	"merve/internal/base/pause"
)

// Version is the newest release that reports the capacity of transactions rightly.
const Version = "2.6.1"

//go:embed pom.xml
var pom []byte

// Options say how to run the server.
type Options struct {
	CacheDir string    // where the server's files are kept between runs
	DataDir  string    // where its data is kept; "" keeps it in memory
	Log      io.Writer // what fetching prints; nil drops it
}

// Server is a running DynamoDB Local.
type Server struct {
	URL  string
	cmd  *exec.Cmd
	dead chan struct{}
}

// Start fetches the server when it is not there, starts it, and waits until it answers.
// The process dies with this one.
func Start(ctx context.Context, o Options) (*Server, error) {
	lib, err := fetch(ctx, o)
	if err != nil {
		return nil, err
	}
	port, err := port.Free()
	if err != nil {
		return nil, fmt.Errorf("dynamodb local: %w", err)
	}
	args := []string{"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4", "-cp", filepath.Join(lib, "*"),
		"com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-disableTelemetry", "-port", strconv.Itoa(port)}
	if o.DataDir == "" {
		args = append(args, "-inMemory")
	} else {
		if err := os.MkdirAll(o.DataDir, 0o755); err != nil {
			return nil, fmt.Errorf("dynamodb local: data folder: %w", err)
		}
		args = append(args, "-dbPath", o.DataDir, "-sharedDb")
	}
	cmd := exec.Command("java", args...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("dynamodb local: it needs Java 17 or later: %w", err)
	}
	s := &Server{URL: fmt.Sprintf("http://127.0.0.1:%d", port), cmd: cmd, dead: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its state is of no use: a client in the middle of a request notices
		close(s.dead)
	}()
	if err := s.ready(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("dynamodb local did not start: %w%s", err, lastLine(printed.Bytes()))
	}
	return s, nil
}

// Stop ends the server. Data in a data folder is kept.
func (s *Server) Stop() {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return
	}
	select {
	case <-s.dead:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill() // it may have ended meanwhile
		<-s.dead
	}
}

// Config is the SDK configuration that reaches the server. DynamoDB Local asks for credentials,
// but any will do.
func (s *Server) Config() aws.Config { return Config(s.URL) }

// Config is the SDK configuration that reaches a DynamoDB Local at url.
func Config(url string) aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(url),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
}

func (s *Server) ready(ctx context.Context) error {
	client := sdk.NewFromConfig(s.Config(), func(o *sdk.Options) { o.RetryMaxAttempts = 1 })
	deadline := time.Now().Add(60 * time.Second)
	for {
		_, err := client.ListTables(ctx, &sdk.ListTablesInput{})
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-s.dead:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// fetch brings the server's jars into the cache folder. A lock file keeps two
// processes from fetching at once; a marker says that the folder is whole.
func fetch(ctx context.Context, o Options) (string, error) {
	dir := filepath.Join(o.CacheDir, "dynamodb-local-"+Version)
	lib, whole := filepath.Join(dir, "lib"), filepath.Join(dir, "whole")
	if _, err := os.Stat(whole); err == nil {
		return lib, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("dynamodb local: cache folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("dynamodb local: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("dynamodb local: lock: %w", err)
	}
	if _, err := os.Stat(whole); err == nil {
		return lib, nil
	}
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), pom, 0o644); err != nil {
		return "", fmt.Errorf("dynamodb local: %w", err)
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib")
	cmd.Dir = dir
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if o.Log != nil {
		fmt.Fprintf(o.Log, "fetching DynamoDB Local %s (51 MB, once)\n", Version)
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("dynamodb local: fetching it with Maven (mvn): %w%s", err, lastLine(printed.Bytes()))
	}
	return lib, os.WriteFile(whole, nil, 0o644)
}

// lastLine returns the last line that a program printed, for a one-line error: Java and Maven print stack traces.
func lastLine(printed []byte) string {
	lines := bytes.Split(bytes.TrimSpace(printed), []byte("\n"))
	if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 {
		return ": " + string(last)
	}
	return ""
}

// CreateTables creates the missing tables of the wiring, each under the
// name that name returns, and adds missing indexes to the existing ones.
func CreateTables(ctx context.Context, cfg aws.Config, tables []wiring.Table, name func(logical string) string) error {
	client := sdk.NewFromConfig(cfg)
	for _, t := range tables {
		_, err := client.CreateTable(ctx, createInput(t, name(t.Name)))
		var exists *types.ResourceInUseException
		if errors.As(err, &exists) {
			err = addIndexes(ctx, client, createInput(t, name(t.Name)))
		}
		if err != nil {
			return fmt.Errorf("create table %s: %w", t.Name, err)
		}
	}
	return nil
}

// Streamless returns the given tables without their streams, for callers that read none. DynamoDB Local
// looks up a table's stream for each request, and gets slower with every table with a stream
// that ever existed: a test with a hundred of them spent three quarters of its time on it.
func Streamless(tables []wiring.Table) []wiring.Table {
	tables = slices.Clone(tables)
	for i := range tables {
		tables[i].Stream = false
	}
	return tables
}

// addIndexes gives a table the indexes that it has not, one after the other as DynamoDB wants
// it: a folder of data may be older than they.
func addIndexes(ctx context.Context, client *sdk.Client, want *sdk.CreateTableInput) error {
	for _, ix := range want.GlobalSecondaryIndexes {
		status, err := indexStatus(ctx, client, want.TableName, ix.IndexName)
		if err == nil && status == "" {
			_, err = client.UpdateTable(ctx, &sdk.UpdateTableInput{
				TableName: want.TableName, AttributeDefinitions: want.AttributeDefinitions,
				GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
					Create: &types.CreateGlobalSecondaryIndexAction{IndexName: ix.IndexName, KeySchema: ix.KeySchema, Projection: ix.Projection},
				}},
			})
		}
		for err == nil && status != types.IndexStatusActive {
			if err = pause.For(ctx, 50*time.Millisecond); err == nil {
				status, err = indexStatus(ctx, client, want.TableName, ix.IndexName)
			}
		}
		if err != nil {
			return fmt.Errorf("index %s: %w", *ix.IndexName, err)
		}
	}
	return nil
}

// indexStatus returns the status of an index, "" if there is no such index.
func indexStatus(ctx context.Context, client *sdk.Client, table, index *string) (types.IndexStatus, error) {
	got, err := client.DescribeTable(ctx, &sdk.DescribeTableInput{TableName: table})
	if err != nil {
		return "", err
	}
	for _, d := range got.Table.GlobalSecondaryIndexes {
		if *d.IndexName == *index {
			return d.IndexStatus, nil
		}
	}
	return "", nil
}

func createInput(t wiring.Table, name string) *sdk.CreateTableInput {
	attrs := map[string]types.ScalarAttributeType{"pk": types.ScalarAttributeTypeS, "sk": types.ScalarAttributeTypeS}
	in := &sdk.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema("pk", "sk"),
	}
	if t.Stream {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages}
	}
	for _, ix := range t.Indexes {
		attrs[ix.PK], attrs[ix.SK] = types.ScalarAttributeTypeS, types.ScalarAttributeTypeS
		if ix.Number {
			attrs[ix.SK] = types.ScalarAttributeTypeN
		}
		projection := types.ProjectionTypeKeysOnly
		if ix.All {
			projection = types.ProjectionTypeAll
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(ix.Name), KeySchema: keySchema(ix.PK, ix.SK),
			Projection: &types.Projection{ProjectionType: projection},
		})
	}
	for attr, kind := range attrs {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(attr), AttributeType: kind})
	}
	return in
}

func keySchema(pk, sk string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(pk), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sk), KeyType: types.KeyTypeRange},
	}
}
