package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addTables makes the tables in a stack of their own: functions come and go, and what is stored stays. Tables of a given
// name can be found again by a stack that is made anew.
func (s *stack) addTables(data constructs.Construct, ts []wiring.Table) {
	for _, t := range ts {
		s.tables[t.Name] = s.newTable(data, t)
	}
}

func (s *stack) newTable(data constructs.Construct, t wiring.Table) awsdynamodb.Table {
	props := &awsdynamodb.TableProps{
		TableName:           s.tableName(t.Name),
		PartitionKey:        attribute("pk", false),
		SortKey:             attribute("sk", false),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		TimeToLiveAttribute: jsii.String("ttl"),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		RemovalPolicy:      s.removal(),
		DeletionProtection: jsii.Bool(!s.Disposable),
	}
	if t.Stream {
		props.Stream = awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES
	}
	table := awsdynamodb.NewTable(data, id(t.Name, "Table"), props)
	for _, ix := range t.Indexes {
		table.AddGlobalSecondaryIndex(&awsdynamodb.GlobalSecondaryIndexProps{
			IndexName:      jsii.String(ix.Name),
			PartitionKey:   attribute(ix.PK, false),
			SortKey:        attribute(ix.SK, ix.Number),
			ProjectionType: projection(ix),
		})
	}
	return table
}

// tableName is the name that the deployment gives a table; nil has CloudFormation choose one.
func (s *stack) tableName(name string) *string {
	if s.Tables == "" {
		return nil
	}
	return jsii.String(s.Tables + name)
}

func projection(ix wiring.Index) awsdynamodb.ProjectionType {
	if ix.All {
		return awsdynamodb.ProjectionType_ALL
	}
	return awsdynamodb.ProjectionType_KEYS_ONLY
}

func attribute(name string, number bool) *awsdynamodb.Attribute {
	kind := awsdynamodb.AttributeType_STRING
	if number {
		kind = awsdynamodb.AttributeType_NUMBER
	}
	return &awsdynamodb.Attribute{Name: jsii.String(name), Type: kind}
}
